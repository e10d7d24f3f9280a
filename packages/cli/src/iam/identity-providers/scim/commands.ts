import { command, define, group, type Options } from "../../../command/definition.ts";
import { IDENTITY_PROVIDER } from "../../../resolve/kinds.ts";
import { argumentOf } from "../../../resource/options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("provider", IDENTITY_PROVIDER);

const EXPIRATION = {
  expiration: {
    type: "string",
    value: "TIME",
    summary: "Expiration: a time or a duration (default: one year, maximum: two years)",
  },
  "never-expires": { type: "boolean", summary: "Valid until revoked" },
} as const satisfies Options;

export const statusDefinition = define({
  name: "status",
  aliases: ["describe"],
  summary: "Show whether provisioning is enabled, and when its token expires",
  examples: [{ command: "wharf iam identity-providers scim status sso" }],
  arguments: [argument],
});

export const enableDefinition = define({
  writes: true,
  name: "enable",
  summary: "Enable provisioning: from then on, only provisioned users can sign in",
  description:
    "Requires two identities with the owner role in the organization, to prevent a lockout.",
  examples: [{ command: "wharf iam identity-providers scim enable sso" }],
  arguments: [argument],
});

export const disableDefinition = define({
  writes: true,
  name: "disable",
  summary: "Disable provisioning",
  examples: [{ command: "wharf iam identity-providers scim disable sso" }],
  arguments: [argument],
});

export const generateDefinition = define({
  writes: true,
  name: "generate",
  aliases: ["create"],
  summary: "Generate the first token and print it once",
  examples: [{ command: "wharf iam identity-providers scim token generate sso" }],
  arguments: [argument],
  options: EXPIRATION,
});

export const regenerateDefinition = define({
  writes: true,
  name: "regenerate",
  aliases: ["rotate"],
  summary: "Replace the token and print the new one once",
  examples: [
    {
      command: "wharf iam identity-providers scim token regenerate sso --overlap 24h",
      shows: "keep the old token valid for a day",
    },
  ],
  arguments: [argument],
  options: {
    ...EXPIRATION,
    overlap: {
      type: "duration",
      default: "1h",
      summary: "How long the old token stays valid; 0s revokes it at once, maximum: one day",
    },
  },
});

export const revokeDefinition = define({
  writes: true,
  name: "revoke",
  aliases: ["delete"],
  summary: "Revoke all tokens at once",
  examples: [{ command: "wharf iam identity-providers scim token revoke sso -y" }],
  arguments: [argument],
  destructive: true,
});

export const scim = group({
  name: "scim",
  summary: "Manage SCIM provisioning of users and groups by the identity provider",
  commands: [
    command(statusDefinition, load, "status"),
    command(enableDefinition, load, "enable"),
    command(disableDefinition, load, "disable"),
    group({
      name: "token",
      aliases: ["tokens"],
      summary: "Manage the SCIM bearer token of the provider",
      commands: [
        command(generateDefinition, load, "generate"),
        command(regenerateDefinition, load, "regenerate"),
        command(revokeDefinition, load, "revoke"),
      ],
    }),
  ],
});
