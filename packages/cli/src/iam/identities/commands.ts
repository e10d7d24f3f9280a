import { command, define, group, type Options } from "../../command/definition.ts";
import { IDENTITY } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import {
  argumentOf,
  argumentsOf,
  DESCRIPTION,
  NAME,
  NAME_FILTERS,
  SCOPE,
} from "../../resource/options.ts";
import { createGroup, TRUST } from "./create/commands.ts";

const load = () => import("./run.ts");
const argument = argumentOf("identity", IDENTITY);

export const FILTERS = {
  type: {
    type: "choice",
    choices: ["claim_match", "static", "aws", "service_principal", "person"],
    summary: "Only identities that authenticate this way",
  },
  ...NAME_FILTERS,
  expired: { type: "boolean", summary: "Only identities whose keys have expired" },
} as const satisfies Options;

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update an identity",
  description: `Options that are not given stay unchanged; --claim and --claim-pattern replace all claims and
patterns. Changing which tokens an identity trusts requires all capabilities that it holds.`,
  examples: [
    { command: "wharf iam identities update ci --subject-pattern 'repo:acme/app:.+'" },
    {
      command: "wharf iam identities update ci --issuer-keys jwks.json",
      shows: "after a key rotation",
    },
  ],
  arguments: [argument],
  options: {
    name: NAME,
    description: DESCRIPTION,
    ...TRUST,
    file: { type: "file", short: "f", summary: "File with the fields to update" },
  },
});

export const testDefinition = define({
  name: "test",
  summary: "Explain why an identity accepts or rejects a token",
  description: `Shows every check with the expected and the actual value. No token is issued, and the given one is
not stored. Exits with 1 if the token would be rejected.`,
  examples: [
    { command: "wharf iam identities test acme/ci --token token.jwt" },
    { command: "echo $TOKEN | wharf iam identities test acme/ci --token - -o json" },
  ],
  arguments: [argument],
  options: {
    token: {
      type: "file",
      summary: "File with the workload's token, `-` for standard input",
      required: true,
    },
    scopes: {
      type: "list",
      value: "GROUP",
      summary: "Restrict to these groups, as in an exchange",
    },
    cap: {
      type: "list",
      value: "CAPABILITY",
      summary: "Restrict to these capabilities, as in an exchange",
    },
  },
});

export const lookupDefinition = define({
  name: "lookup",
  summary: "Show the UID of a person, also before their first sign-in",
  examples: [
    {
      command:
        "wharf iam identities lookup --issuer https://accounts.example.com --subject 1234 -o id",
    },
  ],
  options: {
    issuer: {
      type: "string",
      value: "URL",
      summary: "Issuer of the person's identity provider",
      required: true,
    },
    subject: { type: "string", summary: "Subject of the person there", required: true },
  },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List identities",
    examples: [
      { command: "wharf iam identities list --parent acme" },
      { command: "wharf iam identities list --expired -o id" },
    ],
    filters: FILTERS,
  },
  describe: {
    summary: "Show an identity",
    examples: [{ command: "wharf iam identities describe acme/ci -o yaml" }],
    argument,
  },
  delete: {
    summary: "Delete identities and their role bindings",
    examples: [
      { command: "wharf iam identities delete acme/ci" },
      { command: "wharf iam identities delete --expired --parent acme -y" },
    ],
    argument: argumentsOf("identities", IDENTITY),
    options: {
      expired: { type: "boolean", summary: "All identities whose keys have expired" },
      ...SCOPE,
    },
  },
});

export const identities = group({
  name: "identities",
  aliases: ["identity", "ids"],
  summary: "Manage identities (people, and workloads that authenticate with OIDC tokens)",
  commands: [
    verbs.list,
    verbs.describe,
    createGroup,
    command(updateDefinition, load, "update"),
    verbs.delete,
    command(testDefinition, load, "testToken"),
    command(lookupDefinition, load, "lookup"),
  ],
});
