import { command, define, group } from "../../command/definition.ts";
import { LIST } from "../../command/verbs.ts";

export const listDefinition = define({
  ...LIST,
  summary: "List your own sessions, or those of a person or an identity provider",
  examples: [
    { command: "wharf auth sessions list" },
    {
      command: "wharf auth sessions list --identity-provider UID",
      shows: "of everyone who came through it; takes identity_providers.list",
    },
    {
      command: "wharf auth sessions list --identity UID",
      shows: "of a person; for the operator",
    },
  ],
  options: {
    identity: {
      type: "string",
      value: "UID",
      summary: "Sessions of this identity; without --identity-provider, for the operator alone",
    },
    "identity-provider": {
      type: "string",
      value: "UID",
      summary: "Sessions of everyone who came through this identity provider",
    },
  },
});

export const endDefinition = define({
  name: "end",
  aliases: ["revoke"],
  summary: "End sessions, and every token that came of them",
  examples: [{ command: "wharf auth sessions end 0d9a5c1e-…" }],
  arguments: [
    {
      name: "session",
      summary: "Ids of sessions, as list shows them",
      required: true,
      variadic: true,
    },
  ],
});

export const sessions = group({
  name: "sessions",
  aliases: ["session"],
  summary: "See where one is logged in, and end it",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(endDefinition, () => import("./end.ts")),
  ],
});
