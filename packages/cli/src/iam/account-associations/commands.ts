import { command, define, group } from "../../command/definition.ts";
import { GROUP } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import { argumentOf } from "../../resource/options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("group", GROUP, "Name or UID of the organization or folder");

const providerArgument = (names: readonly string[]) =>
  ({
    name: "provider",
    summary: `One of ${names.join(", ")}`,
    required: true,
    complete: async () => names,
    pick: async () => names.map((value) => ({ value })),
  }) as const;

export const setAwsDefinition = define({
  writes: true,
  name: "aws",
  aliases: ["amazon"],
  summary: "Set the AWS account of a group",
  examples: [{ command: "wharf iam account-associations set aws acme --account 123456789012" }],
  arguments: [argument],
  options: { account: { type: "string", summary: "Account ID (12 digits)", required: true } },
});

export const setGcpDefinition = define({
  writes: true,
  name: "gcp",
  aliases: ["google"],
  summary: "Set the Google Cloud project of a group",
  examples: [
    {
      command:
        "wharf iam account-associations set gcp acme --project-id acme-prod --project-number 1234567890",
    },
  ],
  arguments: [argument],
  options: {
    "project-id": { type: "string", value: "ID", summary: "Project ID", required: true },
    "project-number": {
      type: "string",
      value: "NUMBER",
      summary: "Project number",
      required: true,
    },
  },
});

export const setAzureDefinition = define({
  writes: true,
  name: "azure",
  summary: "Set the Azure tenant of a group",
  examples: [
    {
      command:
        "wharf iam account-associations set azure acme --tenant-id example.com --client-id syncer=11111111-2222-3333-4444-555555555555",
    },
  ],
  arguments: [argument],
  options: {
    "tenant-id": {
      type: "string",
      value: "ID",
      summary: "Tenant ID or domain",
      required: true,
    },
    "client-id": {
      type: "list",
      aliases: ["client-ids"],
      value: "COMPONENT=ID",
      summary: "Application (client) ID of a component",
      required: true,
    },
  },
});

export const setGithubDefinition = define({
  writes: true,
  name: "github",
  summary: "Set the installations of a GitHub App for a group",
  description: "Replaces the installations of this app; those of other apps stay.",
  examples: [
    {
      command:
        "wharf iam account-associations set github acme --app-id 1234 --installation 5678=acme-inc",
    },
  ],
  arguments: [argument],
  options: {
    "app-id": { type: "string", value: "NUMBER", summary: "App ID", required: true },
    installation: {
      type: "list",
      aliases: ["installations"],
      value: "NUMBER[=NAME]",
      summary: "Installation ID, and optionally its account name",
      required: true,
    },
  },
});

export const unsetDefinition = define({
  writes: true,
  name: "unset",
  summary: "Remove a group's accounts at one provider, or all of them",
  examples: [
    { command: "wharf iam account-associations unset aws acme" },
    { command: "wharf iam account-associations unset all acme -y" },
  ],
  arguments: [providerArgument(["aws", "gcp", "azure", "github", "all"]), argument],
  destructive: true,
});

export const checkDefinition = define({
  name: "check",
  summary: "Check that the server can obtain credentials at a provider",
  description: "Exits with 1 if it cannot.",
  examples: [{ command: "wharf iam account-associations check aws acme" }],
  arguments: [providerArgument(["aws", "gcp", "azure"]), argument],
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List account associations",
    examples: [{ command: "wharf iam account-associations list --parent acme" }],
  },
  describe: {
    summary: "Show the account associations of a group",
    examples: [{ command: "wharf iam account-associations describe acme" }],
    argument,
  },
});

export const accountAssociations = group({
  name: "account-associations",
  aliases: ["account-association", "accounts", "account"],
  summary: "Manage account associations (a group's accounts at cloud providers and GitHub)",
  commands: [
    verbs.list,
    verbs.describe,
    group({
      name: "set",
      aliases: ["create", "update"],
      summary: "Set the accounts of a group",
      commands: [
        command(setAwsDefinition, load, "setAws"),
        command(setGcpDefinition, load, "setGcp"),
        command(setAzureDefinition, load, "setAzure"),
        command(setGithubDefinition, load, "setGithub"),
      ],
    }),
    command(unsetDefinition, load, "unset"),
    command(checkDefinition, load, "check"),
  ],
});
