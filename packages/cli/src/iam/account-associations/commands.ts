import { command, define, group } from "../../command/definition.ts";
import { DESCRIBE, LIST } from "../../command/verbs.ts";
import { completeGroup, pickGroup } from "../../resolve/group-choices.ts";
import { WITHIN } from "../../resource/options.ts";

const place = {
  name: "group",
  summary: "Name or uid of the organization or folder whose accounts they are",
  required: true,
  complete: completeGroup("group"),
  pick: pickGroup("group"),
} as const;

const provider = (names: readonly string[]) =>
  ({
    name: "provider",
    summary: `One of ${names.join(", ")}`,
    required: true,
    complete: async () => names,
    pick: async () => names.map((value) => ({ value })),
  }) as const;

export const listDefinition = define({
  ...LIST,
  summary: "List account associations",
  examples: [{ command: "wharf iam account-associations list --parent acme" }],
  options: WITHIN,
});

export const describeDefinition = define({
  ...DESCRIBE,
  summary: "Show which accounts a group has elsewhere",
  examples: [{ command: "wharf iam account-associations describe acme" }],
  arguments: [place],
});

export const setAwsDefinition = define({
  name: "aws",
  aliases: ["amazon"],
  summary: "Say which account at AWS is the group's",
  examples: [{ command: "wharf iam account-associations set aws acme --account 123456789012" }],
  arguments: [place],
  options: { account: { type: "string", summary: "Twelve digits", required: true } },
});

export const setGcpDefinition = define({
  name: "gcp",
  aliases: ["google"],
  summary: "Say which project at Google Cloud is the group's",
  examples: [
    {
      command:
        "wharf iam account-associations set gcp acme --project-id acme-prod --project-number 1234567890",
    },
  ],
  arguments: [place],
  options: {
    "project-id": { type: "string", value: "ID", summary: "The project's id", required: true },
    "project-number": {
      type: "string",
      value: "NUMBER",
      summary: "The project's number",
      required: true,
    },
  },
});

export const setAzureDefinition = define({
  name: "azure",
  summary: "Say which tenant at Azure is the group's",
  examples: [
    {
      command:
        "wharf iam account-associations set azure acme --tenant-id example.com --client-id syncer=11111111-2222-3333-4444-555555555555",
    },
  ],
  arguments: [place],
  options: {
    "tenant-id": {
      type: "string",
      value: "ID",
      summary: "The tenant's id, or a domain of it",
      required: true,
    },
    "client-id": {
      type: "list",
      aliases: ["client-ids"],
      value: "COMPONENT=ID",
      summary: "The application that a component uses there",
      required: true,
    },
  },
});

export const setGithubDefinition = define({
  name: "github",
  summary: "Say where an app of GitHub is installed for the group",
  description: "Installations of other apps stay; those of this app are replaced.",
  examples: [
    {
      command:
        "wharf iam account-associations set github acme --app-id 1234 --installation 5678=acme-inc",
    },
  ],
  arguments: [place],
  options: {
    "app-id": { type: "string", value: "NUMBER", summary: "The app's number", required: true },
    installation: {
      type: "list",
      aliases: ["installations"],
      value: "NUMBER[=NAME]",
      summary: "An installation's number, and whose it is",
      required: true,
    },
  },
});

export const unsetDefinition = define({
  name: "unset",
  summary: "Forget a group's accounts at a provider, or all of them",
  examples: [
    { command: "wharf iam account-associations unset aws acme" },
    { command: "wharf iam account-associations unset all acme -y" },
  ],
  arguments: [provider(["aws", "gcp", "azure", "github", "all"]), place],
  destructive: true,
});

export const checkDefinition = define({
  name: "check",
  summary: "Try to get credentials at a provider, now",
  description: "Ends with 1 when there is no way to get them.",
  examples: [{ command: "wharf iam account-associations check aws acme" }],
  arguments: [provider(["aws", "gcp", "azure"]), place],
});

export const accountAssociations = group({
  name: "account-associations",
  aliases: ["account-association", "accounts", "account"],
  summary: "Manage account associations: a group's accounts at cloud providers and GitHub",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    group({
      name: "set",
      aliases: ["create", "update"],
      summary: "Say which accounts are a group's",
      commands: [
        command(setAwsDefinition, () => import("./set-aws.ts")),
        command(setGcpDefinition, () => import("./set-gcp.ts")),
        command(setAzureDefinition, () => import("./set-azure.ts")),
        command(setGithubDefinition, () => import("./set-github.ts")),
      ],
    }),
    command(unsetDefinition, () => import("./unset.ts")),
    command(checkDefinition, () => import("./check.ts")),
  ],
});
