import { command, define, group } from "../command/definition.ts";
import { serverOptions } from "../serve/options.ts";

export const runDefinition = define({
  name: "run",
  summary: "Run a registry beside the server, wired up",
  description: `Starts Debian's docker-registry on this machine, which lets in whom the server lets in, and tells
it what happens. It waits for the server, and is started anew when the keys of registry tokens are
rotated. SIGTERM and SIGINT end it; it does not end by itself when the server is gone, but says so.

Give it the settings of the server: the registry is the first of --registry-urls, which the server
must have been started with. Images are kept in DIR/registry.`,
  examples: [
    {
      command: "wharf registry run",
      shows:
        "at 127.0.0.1:5000, for a server with --registry-urls 127.0.0.1:5000=http://127.0.0.1:5000",
    },
    { command: "wharf registry run --storage /srv/images", shows: "with its images elsewhere" },
  ],
  raw: true,
  options: {
    registry: {
      type: "string",
      value: "HOST",
      summary: "Which of the registries in --registry-urls to run, if not the first.",
    },
    storage: {
      type: "string",
      value: "DIR",
      summary: "Where images are kept, if not below the data directory.",
    },
    ...serverOptions(),
  },
});

export const reconcileDefinition = define({
  name: "reconcile",
  summary: "Look through attached registries now, and repair what notifications missed",
  description: `Waits until the server has looked through them, and shows what it found. The server looks by
itself when it starts and every --reconcile-minutes. Ctrl-C ends the waiting, not the looking.

Only the operator can ask for it.`,
  examples: [
    { command: "wharf registry reconcile", shows: "all that are attached" },
    { command: "wharf registry reconcile registry.example.com -o json" },
  ],
  arguments: [{ name: "host", summary: "The host of one of them" }],
});

export const registry = group({
  name: "registry",
  summary: "Run a registry, and look through those that are attached",
  commands: [
    command(runDefinition, () => import("./run.ts")),
    command(reconcileDefinition, () => import("./reconcile.ts")),
  ],
});
