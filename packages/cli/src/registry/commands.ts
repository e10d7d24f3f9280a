import { command, define, group } from "../command/definition.ts";
import { SERVER_OPTIONS } from "../serve/options.ts";

export const runDefinition = define({
  name: "run",
  summary: "Run a registry configured for this server",
  description: `Starts Debian's docker-registry on this machine, with the server's access control and with
notifications to the server. Waits for the server, and restarts the registry when the keys of registry
tokens are rotated. SIGTERM and SIGINT stop it; when the server is unreachable, it logs that and keeps running.

Takes the settings of the server: the registry is the first of --registry-urls, which the server must
have been started with. Images are stored in DIR/registry.`,
  examples: [
    {
      command: "wharf registry run",
      shows:
        "on 127.0.0.1:5000, for a server with --registry-urls 127.0.0.1:5000=http://127.0.0.1:5000",
    },
    { command: "wharf registry run --storage /srv/images", shows: "with another image directory" },
  ],
  raw: true,
  options: {
    registry: {
      type: "string",
      value: "HOST",
      summary: "Registry of --registry-urls to run (default: the first).",
    },
    storage: {
      type: "string",
      value: "DIR",
      summary: "Image directory (default: in the data directory).",
    },
    ...SERVER_OPTIONS,
  },
});

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

export const registry = group({
  name: "registry",
  summary: "Run a registry, and reconcile attached registries",
  commands: [
    command(runDefinition, () => import("./run.ts")),
    command(reconcileDefinition, () => import("./reconcile.ts")),
  ],
});
