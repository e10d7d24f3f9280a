import { command, define, group } from "../command/definition.ts";
import { serverOptions } from "../serve/options.ts";

export const runDefinition = define({
  name: "run",
  summary: "Run a registry beside the server, wired up",
  description: `Starts Debian's docker-registry on this machine, which lets in whom the server lets in, and tells
it what happens. It waits for the server, and is started anew when the keys of registry tokens are
rotated. SIGTERM and SIGINT end it.

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

export const registry = group({
  name: "registry",
  summary: "Run a registry",
  commands: [command(runDefinition, () => import("./run.ts"))],
});
