import { command, define, group, type Options } from "../command/definition.ts";
import { VULNERABILITY_SOURCE } from "../resolve/kinds.ts";
import { resourceCommands } from "../resource/commands.ts";
import { argumentOf, argumentsOf, NAME, PARENT, UNNAMED_BY_SERVER } from "../resource/options.ts";

const load = () => import("./run.ts");
const argument = argumentOf("source", VULNERABILITY_SOURCE);

export const KINDS = ["osv", "alpine", "secdb", "kev", "epss"] as const;

const FIELDS = {
  url: { type: "string", value: "URL", summary: "Address (default: the public one of the kind)" },
  ecosystems: {
    type: "list",
    value: "NAME",
    summary:
      "Ecosystems to import, such as npm or Debian; of alpine, releases such as Alpine:v3.20",
  },
  interval: {
    type: "duration",
    value: "DURATION",
    summary: "Time between two imports, from 5m to 30d (default: 1h; of epss, 1d)",
  },
  token: {
    type: "file",
    summary: "File with a token that requests to the address send; - for standard input",
  },
  checksum: {
    type: "string",
    value: "SHA256",
    summary: "Checksum of the file (secdb, kev, epss): sha256:… or the URL of a file with it",
  },
} as const satisfies Options;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Import vulnerabilities from an address at intervals",
  description: `Records become approved advisories of the group: they apply to its images and to those below. Exploited
vulnerabilities (kev) and their probabilities (epss) apply to the whole installation; only its operator adds those.`,
  examples: [
    { command: "wharf sources create osv --kind osv --parent acme --ecosystems npm,PyPI,Debian" },
    {
      command: "wharf sources create alpine --kind alpine --parent acme --ecosystems Alpine:v3.20",
    },
    { command: "wharf sources create kev --kind kev --parent acme --interval 1d" },
  ],
  arguments: [{ name: "name", summary: "Name of the source", required: true }],
  options: {
    parent: PARENT,
    kind: { type: "choice", choices: KINDS, summary: "What the address has", required: true },
    ...FIELDS,
    paused: { type: "boolean", summary: "Do not import at intervals yet" },
  },
});

export const updateDefinition = define({
  writes: true,
  name: "update",
  summary: "Update a source, or pause and resume it",
  description:
    "Options that are not given stay unchanged. Another address is imported from the start.",
  examples: [
    { command: "wharf sources update acme/osv --interval 6h" },
    { command: "wharf sources update acme/osv --paused yes" },
  ],
  arguments: [argument],
  options: {
    name: NAME,
    ...FIELDS,
    "clear-token": { type: "boolean", summary: "Remove the token" },
    paused: {
      type: "choice",
      choices: ["yes", "no"],
      summary: "Whether it is not read at intervals",
    },
  },
});

export const runDefinition = define({
  writes: true,
  name: "run",
  summary: "Import a source now",
  description: "The import runs at the server; --wait waits for its result, and fails if it fails.",
  examples: [{ command: "wharf sources run acme/osv --wait" }],
  arguments: [argument],
  options: { wait: { type: "boolean", summary: "Wait until the import has ended" } },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List sources of vulnerabilities, with the age of their data",
    examples: [{ command: "wharf sources list" }],
    byServer: UNNAMED_BY_SERVER,
  },
  describe: {
    summary: "Show a source, and what the last import changed and rejected",
    examples: [{ command: "wharf sources describe acme/osv" }],
    argument,
  },
  delete: {
    summary: "Delete sources; what they have imported stays",
    examples: [{ command: "wharf sources delete acme/osv" }],
    argument: { ...argumentsOf("sources", VULNERABILITY_SOURCE), required: true },
  },
});

export const sources = group({
  name: "sources",
  aliases: ["source"],
  summary: "Manage the sources that vulnerabilities are imported from",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    command(runDefinition, load, "run"),
    verbs.delete,
  ],
});
