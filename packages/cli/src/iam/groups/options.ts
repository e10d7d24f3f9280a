import type { Options } from "../../command/definition.ts";
import { DESCRIPTION, NAME } from "../../resource/options.ts";

/** Options that update organizations and folders. */
export const GROUP_UPDATE = {
  name: NAME,
  description: DESCRIPTION,
  limit: {
    type: "list",
    value: "NAME=NUMBER",
    summary:
      "Quota of repositories or idps, including folders below; no number removes the quota (operator only)",
  },
} as const satisfies Options;
