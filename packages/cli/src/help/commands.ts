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
  summary: "Print the version, and that of the server; with -o json, also commit and build date",
  description:
    "The version of this command is on stdout, that of the server on stderr. A server that cannot be reached is no error. `wharf --version` does not ask it.",
  examples: [
    { command: "wharf version" },
    { command: "wharf version -o json", shows: "with commit, build date and Node.js version" },
  ],
});

export const help = command(helpDefinition, load, "help");
export const versionCommand = command(versionDefinition, load, "printVersion");
