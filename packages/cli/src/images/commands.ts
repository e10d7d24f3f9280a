import { command, define, group } from "../command/definition.ts";
import { FINDING_OPTIONS, IMAGE } from "../exposure/commands.ts";
import { completeOf, pickOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { DELETE, LIST } from "../resource/commands.ts";
import { listOptions } from "../resource/options.ts";
import { getDefinition } from "../sbom/commands.ts";

const load = () => import("./run.ts");

export const listDefinition = define({
  ...LIST,
  summary: "List images, with tags, sizes and the times of pushes and pulls",
  description: `Lists what the attached registries have: images, indexes, and artifacts such as signatures; the last
push first. Pull times are known where the registry reports pulls.`,
  examples: [
    { command: "wharf images list --repo acme/app" },
    { command: "wharf images list --repo acme/app --untagged -o id", shows: "what nothing uses" },
    { command: "wharf images list --repo acme/app --referrers-of sha256:…" },
  ],
  options: {
    repo: {
      type: "string",
      summary: "Repo: name or UID",
      required: true,
      complete: completeOf(REPO),
      pick: pickOf(REPO),
    },
    untagged: {
      type: "boolean",
      summary: "Only images without a tag that are in no index and attached to nothing",
    },
    "referrers-of": {
      type: "string",
      value: "DIGEST",
      summary: "Only what is attached to this image, such as signatures and SBOMs",
    },
    ...listOptions(),
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete images, with their tags, in the attached registries",
  description: "The registry must allow deletion: `storage.delete.enabled` in CNCF Distribution.",
  examples: [{ command: "wharf images delete acme/app@sha256:…" }],
  arguments: [
    {
      name: "images",
      summary: "Repos and digests, such as acme/app@sha256:…",
      required: true,
      variadic: true,
    },
  ],
});

export const packagesDefinition = define({
  name: "packages",
  summary: "List the packages of an image",
  examples: [
    { command: "wharf images packages acme/app:1.2" },
    { command: "wharf images packages acme/app:1.2 --query ssl -o wide" },
  ],
  arguments: [IMAGE],
  options: {
    query: {
      type: "string",
      value: "TEXT",
      summary: "Only packages whose name or package URL contains this text",
    },
    platform: { type: "string", summary: "Platform of an index (default: linux/amd64)" },
    ...listOptions(),
  },
});

export const vulnerabilitiesDefinition = define({
  name: "vulnerabilities",
  summary: "List the vulnerabilities of an image",
  description: "The same as `wharf exposure list IMAGE`.",
  examples: [
    { command: "wharf images vulnerabilities acme/app:1.2 --severity high" },
    { command: "wharf images vulnerabilities acme/app:1.2 --fail-on high --fixable" },
  ],
  arguments: [IMAGE],
  options: { ...FINDING_OPTIONS, ...listOptions() },
});

export const signaturesDefinition = define({
  name: "signatures",
  summary: "List who has signed an image, and whether that is verified",
  description: `Signatures are verified with the verification keys of the groups above the image, when they are pushed and
when these keys change.`,
  examples: [
    { command: "wharf images signatures acme/app:1.2" },
    {
      command: "wharf images signatures acme/app:1.2 --require-verified",
      shows: "exit code 8 unless a signature is verified",
    },
  ],
  arguments: [IMAGE],
  options: {
    "require-verified": {
      type: "boolean",
      summary: "Wait until signatures are verified, and fail unless one is valid",
    },
    ...listOptions(),
  },
});

const sbomDefinition = {
  ...getDefinition,
  name: "sbom",
  aliases: [],
  examples: [{ command: "wharf images sbom acme/app:1.2 > sbom.json" }] as const,
};

const loadContents = () => import("./contents.ts");

export const images = group({
  name: "images",
  aliases: ["image"],
  summary: "List images, their packages and vulnerabilities, and delete images",
  commands: [
    command(listDefinition, load, "list"),
    command(packagesDefinition, loadContents, "packages"),
    command(sbomDefinition, () => import("../sbom/run.ts"), "get"),
    command(vulnerabilitiesDefinition, loadContents, "vulnerabilities"),
    command(signaturesDefinition, () => import("./signatures.ts"), "signatures"),
    command(deleteDefinition, load, "remove"),
  ],
});
