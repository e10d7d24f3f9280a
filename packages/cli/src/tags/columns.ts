import type { Tag } from "@wharf/client";
import type { Column } from "../output/columns.ts";

export const TAG_COLUMNS: readonly Column<Tag>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "Digest", value: ({ digest }) => digest },
  { header: "Updated", value: ({ updateTime }) => updateTime },
  { header: "Deprecated", value: ({ deprecated }) => (deprecated ? "yes" : "no") },
  { header: "UID", value: ({ uid }) => uid, wide: true },
  { header: "Bundles", value: ({ bundles }) => bundles, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
];
