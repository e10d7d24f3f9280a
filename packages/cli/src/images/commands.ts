import { command, define, group } from "../command/definition.ts";
import { completeOf, pickOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { DELETE, LIST } from "../resource/commands.ts";
import { listOptions } from "../resource/options.ts";

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

export const images = group({
  name: "images",
  aliases: ["image"],
  summary: "List and delete images",
  commands: [command(listDefinition, load, "list"), command(deleteDefinition, load, "remove")],
});
