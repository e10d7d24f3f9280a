import { command, define, group } from "../../command/definition.ts";
import { ORGANIZATION } from "../../resolve/kinds.ts";
import { resourceCommands } from "../../resource/commands.ts";
import { argumentOf, DESCRIPTION } from "../../resource/options.ts";
import { GROUP_UPDATE } from "./options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("organization", ORGANIZATION, "Name or UID of the organization");

export const createDefinition = define({
  name: "create",
  summary: "Create an organization and become its owner",
  examples: [{ command: "wharf iam organizations create acme --description 'Everything of ours'" }],
  arguments: [{ name: "name", summary: "Name of the organization", required: true }],
  options: { description: DESCRIPTION },
});

export const updateDefinition = define({
  name: "update",
  summary: "Update an organization's name, description, quotas or verification",
  examples: [
    { command: "wharf iam organizations update acme --description ''" },
    { command: "wharf iam organizations update acme --limit repositories=100" },
    {
      command: "wharf iam organizations update acme.example --verified yes",
      shows: "allow its name in image paths and at sign-in",
    },
  ],
  arguments: [argument],
  options: {
    ...GROUP_UPDATE,
    verified: {
      type: "choice",
      choices: ["yes", "no"],
      summary: "Whether the organization owns its name (operator only)",
    },
  },
});

const verbs = resourceCommands(async () => (await load()).organizations, {
  list: {
    summary: "List organizations",
    description: "With -o tree, includes the folders below them.",
    examples: [
      { command: "wharf iam organizations list" },
      { command: "wharf iam organizations list -o id", shows: "only UIDs, for scripts" },
      { command: "wharf iam organizations list --format '{{.name}} {{.createTime}}'" },
    ],
    scope: {},
  },
  describe: {
    summary: "Show an organization",
    examples: [{ command: "wharf iam organizations describe acme -o yaml" }],
    argument,
  },
  delete: {
    summary: "Delete an empty organization",
    examples: [
      { command: "wharf iam organizations delete acme -y", shows: "without confirmation" },
    ],
    argument,
  },
});

export const organizations = group({
  name: "organizations",
  aliases: ["organization", "orgs", "org"],
  summary: "Manage organizations (top-level groups)",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "createOrganization"),
    command(updateDefinition, load, "updateOrganization"),
    verbs.delete,
  ],
});
