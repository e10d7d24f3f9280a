import { type Argument, command, define, group, type Options } from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { resourceCommands } from "../resource/commands.ts";
import { listOptions, PARENT } from "../resource/options.ts";

const load = () => import("./run.ts");

const KEEP = {
  type: "list",
  repeatOnly: true,
  value: "RULE",
  summary: "Tags that stay, such as releases:tags=v*,newest=10; repeat for more rules",
} as const;

const DAYS = {
  "untagged-days": {
    type: "number",
    value: "DAYS",
    summary: "Delete images so many days after they lost their last tag; 0 keeps them",
  },
  "announce-days": {
    type: "number",
    value: "DAYS",
    summary: "Announce the deletion of a tag so many days before",
  },
  "restore-days": {
    type: "number",
    value: "DAYS",
    summary: "Days for which a deleted tag can be restored (default: 7)",
  },
} as const satisfies Options;

const SCOPE = {
  name: "scope",
  summary: "Group or repo: name, path or UID",
  required: true,
} as const satisfies Argument;

const RULES = `A rule is NAME:CONDITION,CONDITION…: \`tags=PATTERN\` (repeat it for several patterns; without it, all
tags), \`newest=N\` of these, \`pushed=DAYS\` and \`pulled=DAYS\` for those pushed or pulled within so many days, \`by=UID\`
and \`not-by=UID\` for whose pulls count, \`deployed\` for repos with a deployment. A rule keeps a tag for which all of its
conditions hold; a tag stays if any rule keeps it.`;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Create the retention policy of a group or repo",
  description: `The policy that is nearest to a repo applies, alone. Without a policy, nothing is deleted; without a rule, no
tag is. \`wharf retention preview\` shows what a policy would delete.

${RULES}`,
  examples: [
    {
      command:
        "wharf retention create --parent acme --keep 'releases:tags=v*' --keep 'recent:newest=20,pushed=90' --announce-days 7 --untagged-days 30",
    },
  ],
  options: {
    parent: { ...PARENT, required: false },
    repo: {
      type: "string",
      summary: "Repo of the policy, instead of a group: name or UID",
      complete: completeOf(REPO),
    },
    keep: KEEP,
    ...DAYS,
    description: { type: "string", value: "TEXT", summary: "The reason, for people" },
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update a retention policy",
  description: RULES,
  examples: [{ command: "wharf retention update acme --announce-days 14" }],
  arguments: [SCOPE],
  options: {
    keep: { ...KEEP, summary: "Replaces all rules; repeat for more" },
    ...DAYS,
    description: { type: "string", value: "TEXT", summary: "The reason, for people" },
  },
});

export const previewDefinition = define({
  name: "preview",
  summary: "Show what retention deletes, when, and how many bytes that frees",
  description: `Without options, with the policies that apply. With --keep or --untagged-days, as if the group or repo had
this policy. Bytes are freed when no image needs them any more, so only --untagged-days frees any.`,
  examples: [
    { command: "wharf retention preview acme" },
    { command: "wharf retention preview acme/app --keep 'recent:newest=20' --untagged-days 30" },
  ],
  arguments: [SCOPE],
  options: { keep: KEEP, ...DAYS, ...listOptions() },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List retention policies",
    examples: [{ command: "wharf retention list --parent acme" }],
    byServer: { sort: ["uid", "created", "updated"], filter: [] },
  },
  describe: {
    summary: "Show the retention policy of a group or repo",
    examples: [{ command: "wharf retention describe acme" }],
    argument: SCOPE,
  },
  delete: {
    summary: "Delete retention policies: nothing that they have announced is deleted then",
    examples: [{ command: "wharf retention delete acme/app" }],
    argument: {
      name: "scopes",
      summary: "Groups or repos: names, paths or UIDs",
      required: true,
      variadic: true,
    },
  },
});

export const retention = group({
  name: "retention",
  summary: "Say which tags and images stay, and preview what goes",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    command(previewDefinition, load, "preview"),
    verbs.delete,
  ],
});
