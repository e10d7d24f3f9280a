import { command, define, group } from "../command/definition.ts";
import { IMAGE } from "../exposure/commands.ts";

const load = () => import("./run.ts");

export const uploadDefinition = define({
  name: "upload",
  summary: "Upload an SBOM or a VEX document for an image",
  description: `Reads SPDX 2.2 and 2.3, CycloneDX 1.2 to 1.7 and OpenVEX as JSON, and in-toto statements of them. An
uploaded SBOM precedes those that are attached to the image. Of an index, it is about all its images. Waits until the
packages are read.`,
  examples: [
    { command: "wharf sbom upload acme/app:1.2 sbom.spdx.json" },
    { command: "syft acme/app:1.2 -o cyclonedx-json | wharf sbom upload acme/app:1.2 -" },
  ],
  arguments: [IMAGE, { name: "file", summary: "Document; - for standard input", required: true }],
  options: {
    "dry-run": {
      type: "boolean",
      summary: "Read the document and report problems, without storing it",
    },
  },
});

export const getDefinition = define({
  name: "get",
  aliases: ["download"],
  summary: "Print the SBOM that the packages of an image are from",
  examples: [
    { command: "wharf sbom get acme/app:1.2 > sbom.json" },
    {
      command: "wharf sbom get acme/app:1.2 --cyclonedx",
      shows: "the packages as CycloneDX, also those read from layers",
    },
  ],
  arguments: [IMAGE],
  options: {
    platform: { type: "string", summary: "Platform of an index (default: linux/amd64)" },
    cyclonedx: { type: "boolean", summary: "Print the packages that were read, as CycloneDX 1.6" },
  },
});

export const showDefinition = define({
  name: "show",
  aliases: ["describe"],
  summary: "Show the state of the packages of an image, and the documents that they are from",
  examples: [{ command: "wharf sbom show acme/app:1.2" }],
  arguments: [IMAGE],
});

export const sbom = group({
  name: "sbom",
  aliases: ["sboms"],
  summary: "Upload and show the SBOMs of images",
  commands: [
    command(uploadDefinition, load, "upload"),
    command(getDefinition, load, "get"),
    command(showDefinition, load, "show"),
  ],
});
