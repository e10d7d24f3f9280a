import { command, define, group } from "../command/definition.ts";
import { GROUP } from "../resolve/kinds.ts";
import { argumentOf } from "../resource/options.ts";

export const reconcileDefinition = define({
  name: "reconcile",
  summary: "Reconcile attached registries now, to repair missed notifications",
  description: `Waits for the reconcile pass and prints its findings. The server also reconciles at startup and every
--reconcile-minutes. Ctrl-C stops waiting, not the pass.

Requires the operator's token.`,
  examples: [
    { command: "wharf registry reconcile", shows: "all attached registries" },
    { command: "wharf registry reconcile registry.example.com -o json" },
  ],
  arguments: [{ name: "host", summary: "Host of a registry (default: all)" }],
});

export const gcDefinition = define({
  name: "gc",
  summary: "Delete content that no image needs, now, or show what would be deleted",
  description: `Waits for the collection of garbage in the registry of the server, and prints its findings. Pushes and \
pulls go on. The server also does this every --registry-gc-minutes.

Blobs that a client has uploaded, mounted or looked for stay for a day, also without an image: "leased", and when the last \
lease ends. Ctrl-C stops waiting, not the collection.

Requires the operator's token.`,
  examples: [
    { command: "wharf registry gc --dry-run", shows: "what would be deleted" },
    { command: "wharf registry gc -o json" },
  ],
  options: {
    "dry-run": {
      type: "boolean",
      summary: "Report what would be deleted, without deleting anything",
    },
  },
});

export const importDefinition = define({
  name: "import",
  summary: "Copy images from another registry",
  description: `Copies tags with everything that belongs to them: indexes with all platforms and attestations, and what is \
attached to images, such as signatures. Digests stay the same. DESTINATION is by default the registry of this server, with \
the same paths.

What the destination has is skipped, so after an interruption or a failure, run the same command again. Tags that have moved \
at the source are moved. Transient errors are retried, and Retry-After is respected.

The destination is used with your session, other registries with the credentials of Docker (\`docker login\`, credential \
helpers). Registries on this machine are used without TLS; write http:// before other hosts without it.`,
  examples: [
    {
      command: "wharf registry import 'registry.example.com/acme/*'",
      shows: "all repositories of a folder, by the catalog of the source",
    },
    {
      command: "wharf registry import ghcr.io/acme/app:1.2 wharf.example.com/acme/app",
      shows: "one tag",
    },
    {
      command:
        "WHARF_SOURCE_PASSWORD=… wharf registry import quay.io/acme/app --username robot --include '1.*' --dry-run",
      shows: "what would be copied",
    },
  ],
  arguments: [
    { name: "source", summary: "HOST/REPO, HOST/REPO:TAG or HOST/PREFIX/*", required: true },
    { name: "destination", summary: "HOST/REPO, or HOST/PREFIX for a prefix" },
  ],
  options: {
    include: { type: "list", summary: "Only tags that match this pattern, such as '1.*'" },
    exclude: { type: "list", summary: "No tags that match this pattern" },
    username: {
      type: "string",
      value: "NAME",
      env: "WHARF_SOURCE_USERNAME",
      summary: "User name at the source; the password is in WHARF_SOURCE_PASSWORD",
    },
    concurrency: { type: "number", default: 4, summary: "Blobs and tags copied at a time" },
    "dry-run": {
      type: "boolean",
      summary: "Report what would be copied, without copying anything",
    },
  },
});

export const usageDefinition = define({
  name: "usage",
  summary: "Show the bytes, repos and tags of a group, its quotas and its largest repos",
  description: `Each blob counts once in a group, however many repos have it; "pushed" counts it for each of them. Bytes are
those of the registry of the server; repos and tags count in attached registries, too. Without GROUP, lists all organizations.`,
  examples: [
    { command: "wharf registry usage acme" },
    { command: "wharf registry usage acme/platform --days 30 -o json" },
    { command: "wharf registry usage", shows: "one line for each organization" },
  ],
  arguments: [
    {
      ...argumentOf("group", GROUP, "Name, path such as acme/platform, or UID of a group"),
      required: false,
    },
  ],
  options: {
    days: { type: "number", value: "NUMBER", default: 30, summary: "Days of the history" },
  },
});

export const registry = group({
  name: "registry",
  summary: "Import images, show usage, delete unused content, and reconcile attached registries",
  commands: [
    command(usageDefinition, () => import("./usage.ts")),
    command(importDefinition, () => import("./import/run.ts")),
    command(gcDefinition, () => import("./gc.ts")),
    command(reconcileDefinition, () => import("./reconcile.ts")),
  ],
});
