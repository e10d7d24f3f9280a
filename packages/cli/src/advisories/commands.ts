import { command, define, group } from "../command/definition.ts";
import { resourceCommands } from "../resource/commands.ts";
import { PARENT, UNNAMED_BY_SERVER } from "../resource/options.ts";
import { events } from "./events/commands.ts";
import { FILTERS } from "./filters.ts";
import {
  ADVISORY,
  approveDefinition,
  createDefinition,
  rejectDefinition,
  requestChangesDefinition,
  updateDefinition,
} from "./write-commands.ts";

const load = () => import("./run.ts");
const loadReview = () => import("./review.ts");

export const FEEDS = ["osv", "secdb", "openvex", "csaf"] as const;

export const exportDefinition = define({
  name: "export",
  summary: "Export advisories in a format for scanners",
  description: `Downloads the group's feed: approved events of the group and of all folders below.

OSV and CSAF are zip archives with one document per advisory or package; secdb and OpenVEX are single \
files. An OSV export can be imported again without loss.`,
  examples: [
    { command: "wharf advisories export --group acme --feed osv --to osv.zip" },
    { command: "wharf advisories export --group acme --feed openvex > vex.json" },
    { command: "wharf advisories export --group acme --feed csaf --to feeds/" },
  ],
  options: {
    parent: { ...PARENT, summary: "Organization or folder to export: name or UID" },
    feed: {
      type: "choice",
      choices: FEEDS,
      required: true,
      summary: "Feed to export",
    },
    to: {
      type: "string",
      value: "PATH",
      default: "-",
      summary: "Output file or directory; - is standard output",
    },
  },
});

export const importDefinition = define({
  name: "import",
  summary: "Import advisories",
  description: `Reads distribution advisories (YAML, schema version 2), OSV 1.x, OpenVEX 0.2, CSAF 2.0 (csaf_vex) and \
CycloneDX 1.4 to 1.6 (JSON) from files, directories (recursively), archives (tar, gzip, zstd, zip) and standard input.

Files of directories and archives that are no advisories are skipped, with a warning. Each document is imported \
completely or not at all. Rejected documents are reported with line and reason, \
and the command exits with 1. An import removes nothing and is idempotent: after an interruption, run the \
same command again.

New events take effect at once if you hold advisories.approve; otherwise they are pending review.`,
  examples: [
    { command: "wharf advisories import advisories/ --group acme" },
    {
      command:
        "curl -sL https://example.com/osv.zip | wharf advisories import - --metadata-only --group acme",
      shows: "only metadata of vulnerabilities, such as severities",
    },
    { command: "wharf advisories import vex.json --dry-run --group acme -o json" },
  ],
  arguments: [
    {
      name: "sources",
      summary: "Files, directories or archives; - is standard input",
      required: true,
      variadic: true,
    },
  ],
  options: {
    parent: PARENT,
    "input-format": {
      type: "choice",
      choices: ["distro", "osv", "openvex", "csaf", "cyclonedx"],
      summary: "Format of the documents (default: detected)",
    },
    include: {
      type: "list",
      summary: "Only files whose path ends like this pattern, such as '*.json' or 'osv/**'",
    },
    exclude: { type: "list", summary: "No files whose path ends like this pattern" },
    "dry-run": { type: "boolean", summary: "Report what would change, without changing anything" },
    "metadata-only": {
      type: "boolean",
      summary: "Import only metadata of vulnerabilities, no advisories",
    },
  },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List advisories",
    examples: [
      { command: "wharf advisories list --alias CVE-2026-0001" },
      { command: "wharf advisories list --artifact openssl --status fixed -o json" },
      { command: "wharf advisories list --review pending", shows: "pending reviews" },
    ],
    filters: FILTERS,
    byServer: UNNAMED_BY_SERVER,
  },
  describe: {
    summary: "Show an advisory and its events",
    examples: [{ command: "wharf advisories describe CGA-xxxx-xxxx-xxxx" }],
    argument: ADVISORY,
  },
  delete: {
    summary: "Delete advisories",
    description:
      "Deleted advisories are only listed with --deleted or --updated-since, so that copies elsewhere can follow.",
    examples: [{ command: "wharf advisories delete CGA-xxxx-xxxx-xxxx" }],
    argument: {
      ...ADVISORY,
      name: "advisories",
      summary: "IDs or UIDs of advisories",
      variadic: true,
    },
  },
});

export const advisories = group({
  name: "advisories",
  aliases: ["advisory"],
  summary: "Manage security advisories about vulnerabilities in artifacts",
  commands: [
    verbs.list,
    verbs.describe,
    command(importDefinition, () => import("./import/import.ts")),
    command(exportDefinition, () => import("./export.ts")),
    events,
    command(createDefinition, load, "create"),
    command(updateDefinition, load, "update"),
    verbs.delete,
    command(approveDefinition, loadReview, "approve"),
    command(rejectDefinition, loadReview, "reject"),
    command(requestChangesDefinition, loadReview, "requestChanges"),
  ],
});
