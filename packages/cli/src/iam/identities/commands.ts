import { command, define, group } from "../../command/definition.ts";
import { DELETE, DESCRIBE, LIST } from "../../command/verbs.ts";
import {
  DESCRIPTION,
  IDENTITY_ARGUMENT,
  IDENTITY_ARGUMENTS,
  NAME,
  WITHIN,
} from "../../resource/options.ts";
import { createGroup } from "./create/commands.ts";
import { PROOF } from "./create/proof-options.ts";

export const TYPES = ["claim_match", "static", "aws", "service_principal", "person"] as const;

export const listDefinition = define({
  ...LIST,
  summary: "List identities",
  examples: [
    { command: "wharf iam identities list --parent acme" },
    { command: "wharf iam identities list --expired -o id" },
  ],
  options: {
    type: { type: "choice", choices: TYPES, summary: "Only those that prove themselves this way" },
    name: { type: "string", summary: "Only those with this name" },
    expired: { type: "boolean", summary: "Only those whose keys are no longer trusted" },
    ...WITHIN,
  },
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show one identity",
  examples: [{ command: "wharf iam identities describe acme/ci -o yaml" }],
  arguments: [IDENTITY_ARGUMENT],
});

export const updateDefinition = define({
  name: "update",
  summary: "Change an identity",
  description: `What is not given stays. Claims and patterns of claims are replaced as a whole. Changing how
an identity proves itself takes everything that it holds.`,
  examples: [
    { command: "wharf iam identities update ci --subject-pattern 'repo:acme/app:.+'" },
    {
      command: "wharf iam identities update ci --issuer-keys jwks.json",
      shows: "after a rotation",
    },
  ],
  arguments: [IDENTITY_ARGUMENT],
  options: {
    name: NAME,
    description: DESCRIPTION,
    ...PROOF,
    file: { type: "file", short: "f", summary: "A file with the fields to change" },
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete identities, and everything they were bound to",
  examples: [
    { command: "wharf iam identities delete acme/ci" },
    { command: "wharf iam identities delete --expired --parent acme -y" },
  ],
  arguments: [IDENTITY_ARGUMENTS],
  options: {
    expired: { type: "boolean", summary: "All whose keys are no longer trusted" },
    ...WITHIN,
  },
});

export const testDefinition = define({
  name: "test",
  summary: "Show why a token is, or is not, let in as an identity",
  description: `Every check is shown with what was expected and what was found. Nothing is given out, and the
token is kept nowhere. Ends with 1 when the token would be refused.`,
  examples: [
    { command: "wharf iam identities test acme/ci --token token.jwt" },
    { command: "echo $TOKEN | wharf iam identities test acme/ci --token - -o json" },
  ],
  arguments: [IDENTITY_ARGUMENT],
  options: {
    token: {
      type: "file",
      summary: "A file with the token of the platform, `-` for standard input",
      required: true,
    },
    scopes: { type: "list", value: "GROUP", summary: "As in an exchange: only these groups" },
    cap: { type: "list", value: "CAPABILITY", summary: "As in an exchange: only these" },
  },
});

export const lookupDefinition = define({
  name: "lookup",
  summary: "Show the uid that a person has, or will have after their first login",
  examples: [
    {
      command:
        "wharf iam identities lookup --issuer https://accounts.example.com --subject 1234 -o id",
    },
  ],
  options: {
    issuer: { type: "string", value: "URL", summary: "Their identity provider", required: true },
    subject: { type: "string", summary: "Who they are there", required: true },
  },
});

export const identities = group({
  name: "identities",
  aliases: ["identity", "ids"],
  summary:
    "Manage identities: people, and workloads that prove themselves with tokens of their own",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    createGroup,
    command(updateDefinition, () => import("./update.ts")),
    command(deleteDefinition, () => import("./delete.ts")),
    command(testDefinition, () => import("./test.ts")),
    command(lookupDefinition, () => import("./lookup.ts")),
  ],
});
