import { define } from "../../command/definition.ts";
import { PARENT } from "../../resource/options.ts";

export const FEEDS = ["osv", "secdb", "openvex", "csaf"] as const;

export const exportDefinition = define({
  name: "export",
  summary: "Write advisories in a format that scanners read",
  description: `Downloads what the group's feed publishes: what was approved, of the group and of all folders below.

OSV and CSAF come as a zip archive with a document for each advisory or package; secdb and OpenVEX are one \
file. What was written as OSV can be imported again exactly.`,
  examples: [
    { command: "wharf advisories export --group acme --feed osv --to osv.zip" },
    { command: "wharf advisories export --group acme --feed openvex > vex.json" },
    { command: "wharf advisories export --group acme --feed csaf --to feeds/" },
  ],
  options: {
    parent: { ...PARENT, summary: "The organization or folder that they are of: its name or uid" },
    feed: {
      type: "choice",
      choices: FEEDS,
      required: true,
      summary: "What to write",
    },
    to: {
      type: "string",
      value: "PATH",
      default: "-",
      summary: "The file, or the folder for it; - is standard output",
    },
  },
});
