import { command, define } from "../command/definition.ts";
import { TOPICS } from "./topics.ts";

const load = () => import("./run.ts");

export const helpDefinition = define({
  name: "help",
  summary: "Show help for a command or a topic",
  description: `Topics: ${TOPICS.map(({ name }) => name).join(", ")}.`,
  examples: [{ command: "wharf help iam organizations create" }, { command: "wharf help formats" }],
  arguments: [{ name: "command", summary: "Command or topic", variadic: true }],
});

export const versionDefinition = define({
  name: "version",
  summary: "Print the version; with -o json, also commit and build date",
  examples: [
    { command: "wharf version" },
    { command: "wharf version -o json", shows: "with commit, build date and Node.js version" },
  ],
});

export const help = command(helpDefinition, load, "help");
export const versionCommand = command(versionDefinition, load, "printVersion");
