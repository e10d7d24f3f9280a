import { type Argument, command, define, group } from "../command/definition.ts";
import type { Context } from "../context.ts";
import { LIST } from "../resource/commands.ts";
import { listOptions } from "../resource/options.ts";
import { contextNames } from "./files.ts";

const load = () => import("./run.ts");

const namesOf = async ({ environment }: Context) => contextNames(environment);

const name = {
  name: "name",
  summary: "Name of the context",
  required: true,
  complete: namesOf,
  pick: async (context) => (await namesOf(context)).map((value) => ({ value })),
} as const satisfies Argument;

export const listDefinition = define({
  ...LIST,
  summary: "List contexts, their servers, and who is signed in",
  examples: [{ command: "wharf context list" }],
  options: listOptions(),
  ignoresConfigErrors: true,
});

export const showDefinition = define({
  name: "show",
  aliases: ["describe", "get"],
  summary: "Show a context; the one in use if none is named",
  examples: [
    { command: "wharf context show" },
    { command: "wharf context show production -o json" },
  ],
  arguments: [{ name: "name", summary: "Name of the context", complete: namesOf }],
  ignoresConfigErrors: true,
});

export const useDefinition = define({
  name: "use",
  aliases: ["switch"],
  summary: "Select the context of later commands",
  examples: [
    { command: "wharf context use production" },
    { command: "wharf context use default", shows: "the config file" },
  ],
  arguments: [name],
  ignoresConfigErrors: true,
});

export const addDefinition = define({
  name: "add",
  aliases: ["create"],
  summary: "Add a context for another server",
  description:
    "Other settings are added as to the config file, such as `wharf config set platform.ca-cert FILE --context NAME`.",
  examples: [{ command: "wharf context add production https://wharf.example.com --use" }],
  arguments: [
    { name: "name", summary: "Name of the context", required: true },
    { name: "url", summary: "API URL of the server", required: true },
  ],
  options: { use: { type: "boolean", summary: "Select it for later commands, too" } },
  ignoresConfigErrors: true,
});

export const removeDefinition = define({
  name: "remove",
  aliases: ["delete", "rm"],
  summary: "Remove a context, and sign out of its server",
  examples: [{ command: "wharf context remove production -y", shows: "without confirmation" }],
  arguments: [name],
  destructive: true,
  ignoresConfigErrors: true,
});

export const contexts = group({
  name: "context",
  aliases: ["contexts", "ctx"],
  summary: "Use several servers, with settings and logins of their own",
  description: `A context has the settings of a server, as the config file does, and logins of its own. The config file is
the context \`default\`; others are files in \`contexts\` beside it. \`--context\` or WHARF_CONTEXT selects
one for a single command; \`wharf config\` shows and changes the settings of the context in use.

docker-credential-wharf and wharf-credential-provider use the context in use if its server has the registry,
and otherwise the first one, by name, whose server has it; the former only where you are signed in.`,
  commands: [
    command(listDefinition, load, "list"),
    command(useDefinition, load, "use"),
    command(addDefinition, load, "add"),
    command(removeDefinition, load, "remove"),
    command(showDefinition, load, "show"),
  ],
});
