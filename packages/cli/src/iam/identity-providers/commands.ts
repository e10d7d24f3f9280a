import { command, define, group } from "../../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../../command/verbs.ts";
import { completeOf, pickOf } from "../../resolve/choices.ts";
import { ROLE } from "../../resolve/kinds.ts";
import {
  DESCRIPTION,
  NAME,
  PARENT,
  PROVIDER_ARGUMENT,
  PROVIDER_ARGUMENTS,
  WITHIN,
} from "../../resource/options.ts";
import { groupMappings } from "../group-mappings/commands.ts";
import { scim } from "./scim/commands.ts";

const OIDC = {
  issuer: { type: "string", value: "URL", summary: "Where the provider is" },
  "client-id": { type: "string", value: "ID", summary: "What it calls us" },
  "client-secret": {
    type: "file",
    summary:
      "A file with the secret that it gave us, `-` for standard input; asked for at a terminal",
  },
  "default-role": {
    type: "string",
    value: "ROLE",
    summary: "The role that people are given at their first login: name or uid",
    complete: completeOf(ROLE),
  },
  scopes: {
    type: "list",
    aliases: ["additional-scopes"],
    value: "SCOPE",
    summary: "Scopes to ask for beside the usual ones",
  },
  "groups-claim": { type: "string", value: "CLAIM", summary: "The claim that lists groups" },
  pkce: { type: "boolean", summary: "Log in with PKCE; no secret is needed then" },
} as const;

export const listDefinition = define({
  ...LIST,
  summary: "List identity providers",
  examples: [{ command: "wharf iam identity-providers list --parent acme" }],
  options: { name: { type: "string", summary: "Only those with this name" }, ...WITHIN },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one identity provider, and its provisioning",
  examples: [{ command: "wharf iam identity-providers describe acme/sso" }],
  arguments: [PROVIDER_ARGUMENT],
});

export const createDefinition = define({
  name: "create",
  summary: "Let people of an organization log in through its own identity provider",
  description: `It speaks OpenID Connect, and must know our redirect address: the issuer with /oauth/callback.
The secret is never given on the command line, where others could read it.`,
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
      summary: "How a login finds whom provisioning made; set once",
    },
    description: DESCRIPTION,
  },
});

export const updateDefinition = define({
  name: "update",
  summary: "Change an identity provider",
  description: "What is not given stays. With another issuer, the secret must be given again.",
  examples: [
    { command: "wharf iam identity-providers update sso --client-secret - < secret.txt" },
    { command: "wharf iam identity-providers update sso --pkce on --clear-secret" },
  ],
  arguments: [PROVIDER_ARGUMENT],
  options: {
    name: NAME,
    description: DESCRIPTION,
    ...OIDC,
    pkce: { type: "choice", choices: ["on", "off"], summary: "Whether to log in with PKCE" },
    "clear-secret": { type: "boolean", summary: "Forget the secret; takes PKCE" },
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete identity providers, with their mappings, provisioning and sessions",
  examples: [{ command: "wharf iam identity-providers delete acme/sso" }],
  arguments: [PROVIDER_ARGUMENTS],
});

export const identityProviders = group({
  name: "identity-providers",
  aliases: ["identity-provider", "idps", "idp"],
  summary: "Manage identity providers: where people of an organization log in",
  description: "`wharf iam group-mappings` says which roles their groups give.",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(createDefinition, () => import("./create.ts")),
    command(updateDefinition, () => import("./update.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
    scim,
    // A second way to say it; help has the first.
    { ...groupMappings, hidden: true },
  ],
});
