import { command, define, group, type Options } from "../../command/definition.ts";
import { completeOf, pickOf } from "../../resolve/choices.ts";
import { IDENTITY_PROVIDER, ROLE } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import {
  argumentOf,
  argumentsOf,
  DESCRIPTION,
  NAME,
  NAME_FILTERS,
  PARENT,
} from "../../resource/options.ts";
import { groupMappings } from "../group-mappings/commands.ts";
import { scim } from "./scim/commands.ts";

const load = () => import("./run.ts");
const argument = argumentOf("provider", IDENTITY_PROVIDER);

const OIDC = {
  issuer: { type: "string", value: "URL", summary: "Issuer URL of the provider" },
  "client-id": { type: "string", value: "ID", summary: "OAuth client ID" },
  "client-secret": {
    type: "file",
    summary:
      "File with the OAuth client secret, `-` for standard input; prompted for at a terminal",
  },
  "default-role": {
    type: "string",
    value: "ROLE",
    summary: "Role granted at first sign-in: name or UID",
    complete: completeOf(ROLE),
  },
  scopes: {
    type: "list",
    aliases: ["additional-scopes"],
    value: "SCOPE",
    summary: "Additional OAuth scopes",
  },
  "groups-claim": { type: "string", value: "CLAIM", summary: "Claim that lists groups" },
  pkce: { type: "boolean", summary: "Use PKCE; no client secret is needed" },
} as const satisfies Options;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Connect an organization's OpenID Connect identity provider",
  description: `Register the redirect URI at the provider: the issuer URL of this server with /oauth/callback. The
client secret is not accepted as a flag, since other users can read command lines.`,
  examples: [
    {
      command:
        "wharf iam identity-providers create sso --parent acme --issuer https://login.example.com --client-id wharf --client-secret secret.txt --default-role viewer",
    },
    {
      command:
        "wharf iam identity-providers create sso --parent acme --issuer https://login.example.com --client-id wharf --pkce --default-role viewer",
      shows: "without a secret",
    },
  ],
  arguments: [{ name: "name", summary: "Name of the identity provider", required: true }],
  options: {
    parent: PARENT,
    ...OIDC,
    issuer: { ...OIDC.issuer, required: true },
    "client-id": { ...OIDC["client-id"], required: true },
    "default-role": { ...OIDC["default-role"], required: true, pick: pickOf(ROLE) },
    "correlation-rule": {
      type: "choice",
      choices: ["subject", "oid"],
      default: "subject",
      summary: "Claim that matches the externalId of a provisioned user; cannot be changed later",
    },
    description: DESCRIPTION,
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update an identity provider",
  description:
    "Options that are not given stay unchanged. Changing the issuer requires the client secret again.",
  examples: [
    { command: "wharf iam identity-providers update sso --client-secret - < secret.txt" },
    { command: "wharf iam identity-providers update sso --pkce on --clear-secret" },
  ],
  arguments: [argument],
  options: {
    name: NAME,
    description: DESCRIPTION,
    ...OIDC,
    pkce: { type: "choice", choices: ["on", "off"], summary: "Whether to use PKCE" },
    "clear-secret": { type: "boolean", summary: "Remove the client secret; requires PKCE" },
  },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List identity providers",
    examples: [{ command: "wharf iam identity-providers list --parent acme" }],
    filters: NAME_FILTERS,
  },
  describe: {
    summary: "Show an identity provider and its SCIM provisioning",
    examples: [{ command: "wharf iam identity-providers describe acme/sso" }],
    argument,
  },
  delete: {
    summary: "Delete identity providers with their mappings, SCIM provisioning and sessions",
    examples: [{ command: "wharf iam identity-providers delete acme/sso" }],
    argument: { ...argumentsOf("providers", IDENTITY_PROVIDER), required: true },
  },
});

export const identityProviders = group({
  name: "identity-providers",
  aliases: ["identity-provider", "idps", "idp"],
  summary: "Manage identity providers (where members of an organization sign in)",
  description: "`wharf iam group-mappings` maps their groups to roles.",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    verbs.delete,
    scim,
    // An alias of `wharf iam group-mappings`.
    { ...groupMappings, hidden: true },
  ],
});
