import { define } from "../../command/definition.ts";
import { PARENT } from "../../resource/options.ts";

export const importDefinition = define({
  name: "import",
  summary: "Take in advisories that were written elsewhere",
  description: `Reads advisories of distributions (YAML, schema version 2), OSV 1.x, OpenVEX 0.2 and CSAF 2.0 \
(csaf_vex), from files, folders with all that is below them, archives (tar, gzip, zstd, zip) and standard input.

Each document is taken as a whole or not at all. What is refused is told with its line and the reason, and \
the command then ends with 1. Nothing is ever removed, and what is there already is not taken twice: after \
an interruption, run the same command again.

Events that are new count at once for whoever holds advisories.approve; from others they are pending until \
someone approves them.`,
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
    parent: { ...PARENT, summary: "The organization or folder that they go into: its name or uid" },
    "input-format": {
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
