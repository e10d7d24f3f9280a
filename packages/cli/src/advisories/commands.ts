import { command, define, group } from "../command/definition.ts";
import { PARENT, WITHIN } from "../iam/shared/options.ts";

export const STATUS_CHOICES = [
  "under-investigation",
  "affected",
  "not-affected",
  "pending-upstream-fix",
  "fixed",
  "patched",
  "fix-not-planned",
  "analysis-not-planned",
] as const;

export const listDefinition = define({
  name: "list",
  aliases: ["ls"],
  summary: "List advisories",
  examples: [
    { command: "wharf advisories list --alias CVE-2026-0001" },
    { command: "wharf advisories list --artifact openssl --status fixed -o json" },
  ],
  options: {
    id: { type: "list", value: "ID", summary: "Only these, such as CGA-xxxx-xxxx-xxxx" },
    alias: {
      type: "list",
      aliases: ["cve"],
      summary: "Only those of these vulnerabilities, such as CVE-2026-0001",
    },
    artifact: { type: "list", value: "NAME", summary: "Only those of these artifacts" },
    component: { type: "list", value: "NAME", summary: "Only those of these components" },
    architecture: { type: "list", value: "ARCH", summary: "Only those for these architectures" },
    origin: { type: "string", value: "PACKAGE", summary: "Only those of what is built from this" },
    status: {
      type: "choice",
      choices: STATUS_CHOICES,
      summary: "Only those that stand like this, by their latest approved event",
    },
    query: {
      type: "string",
      value: "TEXT",
      summary: "Only those with this in an alias or the name of an artifact or component",
    },
    ...WITHIN,
  },
});

export const describeDefinition = define({
  name: "describe",
  aliases: ["get", "show"],
  summary: "Show one advisory, and what happened to it",
  examples: [{ command: "wharf advisories describe CGA-xxxx-xxxx-xxxx" }],
  arguments: [{ name: "advisory", summary: "Id or uid of the advisory", required: true }],
});

export const importDefinition = define({
  name: "import",
  summary: "Take in advisories that were written elsewhere",
  description: `Reads advisories of distributions (YAML, schema version 2), OSV 1.x, OpenVEX 0.2 and CSAF 2.0 \
(csaf_vex), from files, folders with all that is below them, archives (tar, gzip, zip) and standard input.

Each document is taken as a whole or not at all. What is refused is told with its line and the reason, and \
the command then ends with 1. Nothing is ever removed, and what is there already is not taken twice: after \
an interruption, run the same command again.`,
  examples: [
    { command: "wharf advisories import advisories/ --group acme" },
    {
      command: "curl -sL https://example.com/osv.zip | wharf advisories import - --metadata-only",
      shows: "Only what is known of vulnerabilities, such as their severities",
    },
    { command: "wharf advisories import vex.json --dry-run -o json" },
  ],
  arguments: [
    {
      name: "sources",
      summary: "Files, folders or archives; - is standard input",
      required: true,
      variadic: true,
    },
  ],
  options: {
    parent: { ...PARENT, summary: "The organisation or folder that they go into: its name or uid" },
    format: {
      type: "choice",
      choices: ["distro", "osv", "openvex", "csaf"],
      summary: "What the documents are, if not what they look like",
    },
    "dry-run": { type: "boolean", summary: "Say what would happen, and change nothing" },
    "metadata-only": {
      type: "boolean",
      summary: "Take only what is known of vulnerabilities, no advisories",
    },
  },
});

export const advisories = group({
  name: "advisories",
  aliases: ["advisory"],
  summary: "See advisories: what is known of vulnerabilities in artifacts",
  commands: [
    command(listDefinition, () => import("./list.ts")),
    command(describeDefinition, () => import("./describe.ts")),
    command(importDefinition, () => import("./import/import.ts")),
  ],
});
