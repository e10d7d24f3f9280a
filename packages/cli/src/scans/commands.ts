import { command, define, group } from "../command/definition.ts";
import { IMAGE } from "../exposure/commands.ts";
import { listOptions } from "../resource/options.ts";

const load = () => import("./run.ts");

export const SCANNERS = ["grype", "trivy", "osv-scanner"] as const;

const SCANNER = {
  type: "choice",
  choices: SCANNERS,
  value: "SCANNER",
  summary: "The scanner",
  required: true,
} as const;

export const uploadDefinition = define({
  writes: true,
  name: "upload",
  summary: "Upload the JSON report of grype, trivy or osv-scanner about an image",
  examples: [
    { command: "grype acme/app:1.2 -o json | wharf scans upload acme/app:1.2 -" },
    { command: "wharf scans upload acme/app:1.2 trivy.json" },
  ],
  arguments: [IMAGE, { name: "file", summary: "Report; - for standard input", required: true }],
});

export const listDefinition = define({
  name: "list",
  aliases: ["ls"],
  summary: "List the reports about an image",
  examples: [{ command: "wharf scans list acme/app:1.2" }],
  arguments: [IMAGE],
  options: listOptions(),
});

export const compareDefinition = define({
  name: "compare",
  summary: "Compare what a scanner and the server say of an image",
  examples: [{ command: "wharf scans compare acme/app:1.2 --scanner grype" }],
  arguments: [IMAGE],
  options: { scanner: SCANNER, ...listOptions() },
});

export const getDefinition = define({
  name: "get",
  summary: "Print a report as it was uploaded",
  examples: [{ command: "wharf scans get acme/app:1.2 --scanner trivy > trivy.json" }],
  arguments: [IMAGE],
  options: { scanner: SCANNER },
});

export const scans = group({
  name: "scans",
  aliases: ["scan"],
  summary: "Upload and compare reports of scanners",
  commands: [
    command(uploadDefinition, load, "upload"),
    command(listDefinition, load, "list"),
    command(compareDefinition, load, "compare"),
    command(getDefinition, load, "get"),
  ],
});
