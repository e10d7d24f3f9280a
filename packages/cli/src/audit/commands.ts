import { command, define, group, type Options } from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { IDENTITY } from "../resolve/kinds.ts";
import { logOptions } from "../resource/options.ts";

const load = () => import("./run.ts");
const loadVerify = () => import("./verify/run.ts");

export const OUTCOMES = ["succeeded", "denied", "failed"] as const;

export const FORMATS = ["jsonl", "csv", "ocsf"] as const;

export const FILTERS = {
  resource: {
    type: "string",
    summary: "Only entries of this resource and everything below: UID, or path of a group",
  },
  actor: {
    type: "string",
    summary: "Only entries of this identity: name, email address or UID",
    complete: completeOf(IDENTITY),
  },
  method: {
    type: "string",
    value: "PATTERN",
    summary: "Only this method or action; * stands for any characters: 'Delete*', login",
  },
  outcome: { type: "choice", choices: OUTCOMES, summary: "Only requests with this outcome" },
  since: {
    type: "string",
    value: "TIME",
    summary: "Only entries from this time on: such as 2026-01-31, or a duration such as 24h",
  },
  until: {
    type: "string",
    value: "TIME",
    summary: "Only entries before this time: such as 2026-01-31, or a duration such as 24h",
  },
  address: { type: "string", summary: "Only requests from this network address" },
  "request-id": { type: "string", value: "ID", summary: "Only the request with this ID" },
  session: { type: "string", value: "ID", summary: "Only requests in this session" },
  via: {
    type: "choice",
    choices: ["rest", "grpc", "cli", "console", "scim", "registry", "system"],
    summary: "Only requests that arrived this way",
  },
} as const satisfies Options;

export const listDefinition = define({
  name: "list",
  aliases: ["ls"],
  summary: "List entries of the audit log, the newest first",
  description: `Shows what happened to resources in groups where you hold audit.list, which owners and auditors do. The
operator sees everything. Reading the audit log is logged.`,
  examples: [
    { command: "wharf audit list --resource acme --since 24h" },
    {
      command: "wharf audit list --method DeleteRoleBinding --actor ada@example.com",
      shows: "who removed access",
    },
    { command: "wharf audit list --outcome denied -o wide" },
  ],
  options: {
    ...FILTERS,
    ...logOptions(100, "Show at most this many entries; 0 for all"),
    "oldest-first": { type: "boolean", summary: "Show the oldest entries first" },
  },
});

export const getDefinition = define({
  name: "get",
  aliases: ["describe"],
  summary: "Show an entry of the audit log with all details",
  examples: [{ command: "wharf audit get 1042 -o json" }],
  arguments: [{ name: "uid", summary: "UID of the entry", required: true }],
});

export const exportDefinition = define({
  name: "export",
  summary: "Export entries of the audit log, the oldest first",
  description: `JSON Lines can be verified with \`wharf audit verify\`; without filters other than --resource ORGANIZATION,
removed entries are noticed, too. OCSF events have the version 1.9.0 of the schema.`,
  examples: [
    { command: "wharf audit export --resource acme --to audit.jsonl" },
    { command: "wharf audit export --as ocsf --since 24h > events.jsonl" },
    { command: "wharf audit export --as csv --resource acme --to audit.csv" },
  ],
  options: {
    ...FILTERS,
    as: { type: "choice", choices: FORMATS, default: "jsonl", summary: "Format" },
    to: { type: "string", value: "FILE", default: "-", summary: "File; - for standard output" },
  },
});

export const watchDefinition = define({
  name: "watch",
  summary: "Print entries of the audit log as they are recorded",
  description: `Prints one line per entry, as JSON with -o json, until interrupted. Continues after the last entry when the
connection is lost.`,
  examples: [
    { command: "wharf audit watch --resource acme" },
    { command: "wharf audit watch --outcome denied -o json" },
  ],
  options: {
    ...FILTERS,
    after: { type: "string", value: "UID", summary: "Begin after this entry; 0 for the oldest" },
  },
});

export const verifyDefinition = define({
  name: "verify",
  summary: "Verify an export of the audit log",
  description: `Works offline. Finds entries that were changed, removed, inserted or reordered, and forged checkpoints. Exit
code 1 means that something is wrong.

The keys of checkpoints are in the export. To avoid trusting keys inside the export, download
/.well-known/wharf-audit-keys.json from the server first, and give it with --keys.

A store that was replaced by an earlier copy of itself looks intact. --since compares with an export from before: what that
one has, this one must have, too, except for what retention has deleted.`,
  examples: [
    { command: "wharf audit verify audit.jsonl" },
    { command: "wharf audit verify audit.jsonl --keys wharf-audit-keys.json" },
    {
      command: "wharf audit verify audit.jsonl --since last-month.jsonl",
      shows: "whether the log was cut back since",
    },
  ],
  arguments: [
    { name: "file", summary: "Export as JSON Lines; - for standard input", required: true },
  ],
  options: {
    keys: { type: "file", summary: "Public keys to trust, as a JSON Web Key Set" },
    since: {
      type: "string",
      value: "FILE",
      summary: "Older export of the same log to compare with",
    },
  },
});

export const audit = group({
  name: "audit",
  summary: "Read, export and verify the audit log",
  commands: [
    command(listDefinition, load, "list"),
    command(getDefinition, load, "get"),
    command(exportDefinition, load, "exportEntries"),
    command(watchDefinition, load, "watch"),
    command(verifyDefinition, loadVerify, "verify"),
  ],
});
