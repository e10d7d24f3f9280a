import type { Command, Group, Module, Node, Options } from "./command/definition.ts";
import { find } from "./command/find.ts";
import { GLOBALS } from "./command/globals.ts";
import { helpText } from "./command/help.ts";
import { readArgs, type Sources } from "./command/parse.ts";
import { scan } from "./command/scan.ts";
import { type Context, makeContext, NEEDS_YES } from "./context.ts";
import { readConfigOf } from "./contexts/choose.ts";
import { EXIT, interrupted } from "./errors.ts";
import { runReportingErrors } from "./report.ts";
import { readSettings } from "./settings.ts";
import { terminalOf } from "./terminal/terminal.ts";
import { trust } from "./trust.ts";

/** Runs a command line: finds the command, parses its arguments and reports errors. */
export function runCommandLine(root: Group, words: readonly string[]): Promise<void> {
  return runReportingErrors(words, () => run(root, words));
}

async function run(root: Group, words: readonly string[]): Promise<void> {
  const { path, words: rest } = find(root, words);
  const node = path.at(-1) as Node;
  if (node.kind === "group") {
    if (scan(rest, GLOBALS).given.has("help")) return showHelp(path);
    return rejectGroup(path);
  }
  if (node.raw) return runRaw(path, rest);
  const options: Options = { ...GLOBALS, ...node.options };
  const { given, positionals } = scan(rest, options);
  if (given.has("help")) return showHelp(path);
  const environment = process.env;
  const config = await readConfigOf(given, environment);
  if (config.problem !== undefined && !node.ignoresConfigErrors) throw config.problem;
  const sources: Sources = { given, environment, config };
  const settings = readSettings(sources, node);
  await trust(settings.ca);
  const interrupt = onInterrupt();
  const context = await makeContext({ settings, environment, signal: interrupt.signal });
  if (node.destructive && !settings.yes && !settings.dryRun) {
    const reason = "this cannot be undone, and there is no terminal for a confirmation";
    context.prompt.require(reason, NEEDS_YES);
  }
  const args = await readArgs(context, path, positionals, sources);
  await perform(node, context, args);
  if (interrupt.signal.aborted) throw interrupted();
}

async function perform(command: Command, context: Context, args: unknown): Promise<void> {
  const module = (await command.load()) as Module<unknown>;
  try {
    await module.run(context, args);
  } catch (thrown) {
    throw context.signal.aborted ? interrupted() : thrown;
  }
}

/** Raw commands parse their own words and handle signals themselves. */
async function runRaw(path: readonly Node[], words: readonly string[]): Promise<void> {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  if (before.includes("--help") || before.includes("-h")) return showHelp(path);
  const module = (await (path.at(-1) as Command).load()) as Module<unknown>;
  await module.run(undefined as never, { words });
}

/** A group is not a command: prints its help as a usage error. */
function rejectGroup(path: readonly Node[]): void {
  process.exitCode = EXIT.usage;
  const { remarkStyle } = terminalOf(process, process.env, "auto");
  process.stderr.write(
    `${helpText(path, { width: process.stderr.columns, style: remarkStyle })}\n`,
  );
}

export function showHelp(path: readonly Node[]): void {
  const { style, width } = terminalOf(process, process.env, "auto");
  process.stdout.write(`${helpText(path, { width, style })}\n`);
}

/** The first Ctrl-C cancels the command; the second one exits at once. */
function onInterrupt(): AbortController {
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort(interrupted());
    process.once("SIGINT", () => process.exit(EXIT.interrupted));
  });
  return interrupt;
}
