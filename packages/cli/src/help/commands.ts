import { command, define } from "../command/definition.ts";
import { TOPICS } from "./topics.ts";

export const helpDefinition = define({
  name: "help",
  summary: "Show the help of a command, or about a topic",
  description: `Topics: ${TOPICS.map(({ name }) => name).join(", ")}.`,
  examples: [{ command: "wharf help iam organizations create" }, { command: "wharf help formats" }],
  arguments: [{ name: "command", summary: "The command's words, or a topic", variadic: true }],
});

export const help = command(helpDefinition, () => import("./help.ts"));
