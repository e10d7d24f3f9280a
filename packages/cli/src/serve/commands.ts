import { command, define } from "../command/definition.ts";
import { SERVER_OPTIONS } from "./options.ts";

export const serveDefinition = define({
  name: "serve",
  summary: "Run the server",
  description: `Prints one line on stdout when ready. SIGTERM and SIGINT shut down gracefully: requests in progress finish.
After SIGTERM, /readyz fails and the server keeps serving for --shutdown-delay seconds first. A second signal
ends the process at once.

Settings are flags, environment variables or keys of the YAML file given with --config; flags take
precedence over variables, and variables over the file.`,
  examples: [
    { command: "wharf serve", shows: "on 127.0.0.1:8080, with an embedded database in ./data" },
    {
      command: "wharf serve --listen 0.0.0.0:8080 --database-url postgres://db/wharf",
      shows: "one of several replicas",
    },
  ],
  raw: true,
  options: SERVER_OPTIONS,
});

export const serve = command(serveDefinition, () => import("./run.ts"));
