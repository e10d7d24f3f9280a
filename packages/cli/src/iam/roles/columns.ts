import type { Role } from "@wharf/client";
import { isRoot } from "@wharf/contract";
import type { Column } from "../../output/columns.ts";
import { namesOf } from "../../resolve/capabilities.ts";

const COMMON: readonly Column<Role>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "UID", value: ({ uid }) => uid },
  { header: "Managed", value: ({ uid }) => (isRoot(uid) ? "yes" : "no") },
  { header: "Description", value: ({ description }) => description },
];

const TIMES: readonly Column<Role>[] = [
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

/** In lists, how much a role can do; what exactly would fill the screen. */
export const ROLE_COLUMNS: readonly Column<Role>[] = [
  ...COMMON,
  { header: "Capabilities", value: ({ capabilities }) => capabilities.length },
  ...TIMES,
];

export const ROLE_DETAILS: readonly Column<Role>[] = [
  ...COMMON,
  { header: "Capabilities", value: ({ capabilities }) => namesOf(capabilities) },
  ...TIMES,
];
