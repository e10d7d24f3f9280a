import type { Repo } from "@wharf/client";
import { CatalogTier } from "@wharf/contract";
import type { Column } from "../output/columns.ts";

export const REPO_COLUMNS: readonly Column<Repo>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "UID", value: ({ uid }) => uid },
  { header: "Tier", value: tierOf },
  { header: "Description", value: ({ description }) => description },
  { header: "Bundles", value: ({ bundles }) => bundles, wide: true },
  { header: "Aliases", value: ({ aliases }) => aliases, wide: true },
  { header: "Active tags", value: ({ activeTags }) => activeTags, wide: true },
  { header: "Synced from", value: ({ syncConfig }) => syncConfig?.source, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

function tierOf({ catalogTier }: Repo): string {
  if (catalogTier === CatalogTier.UNSPECIFIED) return "";
  return (CatalogTier[catalogTier] ?? "").toLowerCase();
}
