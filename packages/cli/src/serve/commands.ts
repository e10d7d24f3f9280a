import { command, define } from "../command/definition.ts";
import { serverOptions } from "./options.ts";

export const serveDefinition = define({
  name: "serve",
  summary: "Run the server",
  description: `Prints one line on stdout when it is ready. SIGTERM and SIGINT let requests under way finish.

Settings are flags, variables or keys of the YAML file that --config names; flags win over variables,
variables over the file.`,
  examples: [
    { command: "wharf serve", shows: "at 127.0.0.1:8080, with an embedded database in ./data" },
    {
      command: "wharf serve --listen 0.0.0.0:8080 --database-url postgres://db/wharf",
      shows: "one of several replicas",
    },
  ],
  raw: true,
  options: serverOptions(),
});

export const serve = command(serveDefinition, () => import("./command.ts"));
