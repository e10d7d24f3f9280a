import { command, define, group, type Options } from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { GROUP } from "../resolve/kinds.ts";
import { resourceCommands } from "../resource/commands.ts";
import { UNNAMED_BY_SERVER } from "../resource/options.ts";

const load = () => import("./run.ts");

const ARGUMENT = {
  name: "target",
  summary: "Organization, folder or repo: path or UID",
  required: true,
  complete: completeOf(GROUP),
} as const;

const FIELDS = {
  path: {
    type: "string",
    value: "PATH",
    summary: "Of a repo, its name at the upstream; of a group, what precedes names there",
  },
  username: { type: "string", value: "NAME", summary: "Name to sign in with" },
  password: {
    type: "file",
    summary: "File with the password or token; - for standard input",
  },
  repositories: {
    type: "list",
    value: "PATTERN",
    summary: "Only repositories whose name at the upstream matches, such as library/*",
  },
  tags: { type: "list", value: "PATTERN", summary: "Only tags that match, such as 1.*" },
  revalidate: {
    type: "duration",
    value: "DURATION",
    summary: "Time for which tags are served without asking the upstream (default: 5m)",
  },
  interval: {
    type: "duration",
    value: "DURATION",
    summary: "Of sync, the time between two synchronizations (default: once)",
  },
} as const satisfies Options;

export const MODES = ["cache", "gateway", "sync"] as const;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Get the images of a group or repo from another registry",
  description: `The mode cache keeps images on their first pull, gateway passes them on, and sync copies them. An upstream of a
group applies to all repositories below it.`,
  examples: [
    { command: "wharf upstreams create hub --url https://registry-1.docker.io" },
    {
      command:
        "wharf upstreams create acme/base --url https://quay.io --mode sync --repositories acme/base --interval 1h",
    },
  ],
  arguments: [ARGUMENT],
  options: {
    url: { type: "string", value: "URL", summary: "Address of the registry", required: true },
    mode: { type: "choice", choices: MODES, default: "cache", summary: "What is kept" },
    ...FIELDS,
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update an upstream",
  description: "Options that are not given stay unchanged.",
  examples: [{ command: "wharf upstreams update hub --username acme --password token.txt" }],
  arguments: [ARGUMENT],
  options: {
    url: { type: "string", value: "URL", summary: "Address of the registry" },
    mode: { type: "choice", choices: MODES, summary: "What is kept" },
    ...FIELDS,
  },
});

export const checkDefinition = define({
  name: "check",
  summary: "Ask an upstream for a tag, with the stored credentials",
  description: "Fails with the reason if the upstream does not answer, or not with the tag.",
  examples: [{ command: "wharf upstreams check hub --repository library/alpine --tag 3.20" }],
  arguments: [ARGUMENT],
  options: {
    repository: { type: "string", value: "NAME", summary: "Repository at the upstream" },
    tag: { type: "string", value: "TAG", summary: "Tag (default: latest)" },
  },
});

export const syncDefinition = define({
  writes: true,
  name: "sync",
  summary: "Copy the images of an upstream now",
  description: "The copy runs at the server; `wharf upstreams describe` shows its state.",
  examples: [{ command: "wharf upstreams sync acme/base" }],
  arguments: [ARGUMENT],
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List upstreams, with the state of their requests",
    examples: [{ command: "wharf upstreams list" }],
    byServer: UNNAMED_BY_SERVER,
  },
  describe: {
    summary: "Show an upstream, and its last error",
    examples: [{ command: "wharf upstreams describe hub" }],
    argument: ARGUMENT,
  },
  delete: {
    summary: "Delete upstreams; the images that are here stay",
    examples: [{ command: "wharf upstreams delete hub" }],
    argument: { ...ARGUMENT, name: "targets", variadic: true },
  },
});

export const upstreams = group({
  name: "upstreams",
  aliases: ["upstream"],
  summary: "Manage the registries that images come from",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    command(checkDefinition, load, "check"),
    command(syncDefinition, load, "sync"),
    verbs.delete,
  ],
});
