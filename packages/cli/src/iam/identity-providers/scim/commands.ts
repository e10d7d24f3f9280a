import { command, define, group } from "../../../command/definition.ts";
import { PROVIDER_ARGUMENT } from "../../../resource/options.ts";

const LIFE = {
  expiration: {
    type: "string",
    value: "TIME",
    summary: "Until when it is good: a time, or a length of time; a year otherwise, two at most",
  },
  "never-expires": { type: "boolean", summary: "Good until it is revoked" },
} as const;

export const statusDefinition = define({
  name: "status",
  aliases: ["describe"],
  summary: "Show whether provisioning is on, and until when its token is good",
  examples: [{ command: "wharf iam identity-providers scim status sso" }],
  arguments: [PROVIDER_ARGUMENT],
});

export const enableDefinition = define({
  name: "enable",
  summary: "Switch provisioning on: only people who are provisioned can log in from then on",
  description:
    "Takes two identities that are bound to owner at the organization, so that nobody is locked out.",
  examples: [{ command: "wharf iam identity-providers scim enable sso" }],
  arguments: [PROVIDER_ARGUMENT],
});

export const disableDefinition = define({
  name: "disable",
  summary: "Switch provisioning off",
  examples: [{ command: "wharf iam identity-providers scim disable sso" }],
  arguments: [PROVIDER_ARGUMENT],
});

export const generateDefinition = define({
  name: "generate",
  aliases: ["create"],
  summary: "Make the first token, and print it this once",
  examples: [{ command: "wharf iam identity-providers scim token generate sso" }],
  arguments: [PROVIDER_ARGUMENT],
  options: LIFE,
});

export const regenerateDefinition = define({
  name: "regenerate",
  aliases: ["rotate"],
  summary: "Make another token, and print it this once",
  examples: [
    {
      command: "wharf iam identity-providers scim token regenerate sso --overlap 24h",
      shows: "the old one stays good for a day",
    },
  ],
  arguments: [PROVIDER_ARGUMENT],
  options: {
    ...LIFE,
    overlap: {
      type: "duration",
      default: "1h",
      summary: "For how long the old one stays good; a day at most, 0s not at all",
    },
  },
});

export const revokeDefinition = define({
  name: "revoke",
  aliases: ["delete"],
  summary: "End all tokens at once",
  examples: [{ command: "wharf iam identity-providers scim token revoke sso -y" }],
  arguments: [PROVIDER_ARGUMENT],
  destructive: true,
});

export const scim = group({
  name: "scim",
  summary: "Manage provisioning: the provider tells which people there are",
  commands: [
    command(statusDefinition, () => import("./status.ts")),
    command(enableDefinition, () => import("./enable.ts")),
    command(disableDefinition, () => import("./disable.ts")),
    group({
      name: "token",
      aliases: ["tokens"],
      summary: "Manage the token that the provider sends",
      commands: [
        command(generateDefinition, () => import("./generate.ts")),
        command(regenerateDefinition, () => import("./regenerate.ts")),
        command(revokeDefinition, () => import("./revoke.ts")),
      ],
    }),
  ],
});
