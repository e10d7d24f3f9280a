import type { Argument, Command, Group, Node, Option, Options } from "../command/definition.ts";
import { find } from "../command/find.ts";
import { GLOBALS } from "../command/globals.ts";
import { parseWords, scan } from "../command/scan.ts";
import type { Run } from "../command/types.ts";
import { makeContext } from "../context.ts";
import { readConfigOf } from "../contexts/choose.ts";
import { type Environment, readSettings } from "../settings.ts";
import { harmless } from "../terminal/width.ts";
import type { completeDefinition } from "./commands.ts";

interface Candidate {
  readonly word: string;
  readonly summary?: string | undefined;
}

const DEFAULT_TIMEOUT_S = 2;
const MAX_TIMEOUT_S = 3600;

/** Makes the shell complete file names. */
const FILES: readonly Candidate[] = [{ word: ":files" }];

/** Prints completions. Errors are silent: the shell is drawing a prompt. */
export const complete: Run<typeof completeDefinition> = async (_context, { words }) => {
  const { tree } = await import("../tree.ts");
  const typed = words[0] === "--" ? words.slice(1) : words;
  try {
    for (const { word, summary } of await candidates(tree, typed, process.env)) {
      process.stdout.write(summary === undefined ? `${word}\n` : `${word}\t${summary}\n`);
    }
  } catch {}
};

/** Completions of the last word. */
async function candidates(
  root: Group,
  words: readonly string[],
  environment: Environment,
): Promise<readonly Candidate[]> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const { path, words: rest } = find(root, before);
  const node = path.at(-1) as Node;
  if (node.kind === "command" && node.name === "help") {
    return commandNames(find(root, rest).path.at(-1) as Node, current);
  }
  const options: Options = node.kind === "group" ? GLOBALS : optionsOf(node);
  const completions = (input: Argument | Option, given = rest) =>
    completionsOf(input, given, options, environment);
  const [flag, typed] = optionBeingGiven(rest, current, options) ?? [];
  if (flag !== undefined) {
    const prefix = current.slice(0, current.length - (typed as string).length);
    const isInline = prefix !== "";
    const found = await completions(flag, isInline ? rest : rest.slice(0, -1));
    return matching(found, typed as string, prefix);
  }
  const isTerminated = rest.includes("--");
  if (current.startsWith("-") && !isTerminated) return optionNames(options, rest, current);
  if (node.kind === "group") return commandNames(node, current);
  const argument = argumentAt(node, node.raw ? [] : scan(rest, options).positionals);
  return argument === undefined ? [] : matching(await completions(argument), current);
}

function optionsOf(command: Command): Options {
  return command.raw ? (command.options ?? {}) : { ...GLOBALS, ...command.options };
}

/** The option whose value is being typed, and the value so far. */
function optionBeingGiven(
  before: readonly string[],
  current: string,
  options: Options,
): [option: Option, typed: string] | undefined {
  const inline = /^--([\w-]+)=(.*)$/s.exec(current);
  if (inline !== null) {
    const option = options[inline[1] as string];
    return option === undefined ? undefined : [option, inline[2] as string];
  }
  const last = parseWords(before, options).at(-1);
  if (last?.kind !== "option" || last.value !== undefined) return undefined;
  const option = options[last.name];
  return option === undefined || option.type === "boolean" ? undefined : [option, current];
}

function argumentAt(command: Command, given: readonly string[]): Argument | undefined {
  const all = command.arguments ?? [];
  return all[given.length] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
}

async function completionsOf(
  input: Argument | Option,
  words: readonly string[],
  options: Options,
  environment: Environment,
): Promise<readonly Candidate[]> {
  if ("choices" in input) return input.choices.map((word) => ({ word }));
  const isPath =
    "type" in input && (input.type === "file" || /^(FILE|DIR)$/.test(input.value ?? ""));
  if (isPath) return FILES;
  if (input.complete === undefined) return [];
  // The options so far may name another server.
  const { given } = scan(words, options);
  const config = await readConfigOf(given, environment);
  const settings = readSettings({ given, environment, config }, { options });
  const signal = AbortSignal.timeout(1000 * timeoutSeconds(environment));
  const context = await makeContext({ settings, environment, signal });
  return (await input.complete(context)).map((word) => ({ word: harmless(word) }));
}

function timeoutSeconds({ WHARF_COMPLETION_SECONDS: seconds }: Environment): number {
  const given = Number(seconds);
  return given > 0 && given <= MAX_TIMEOUT_S ? given : DEFAULT_TIMEOUT_S;
}

function matching(all: readonly Candidate[], typed: string, prefix = ""): readonly Candidate[] {
  if (all === FILES) return all;
  const found = all.filter(({ word }) => word.startsWith(typed));
  return found.map(({ word, ...others }) => ({ word: prefix + word, ...others }));
}

function commandNames(node: Node, current: string): readonly Candidate[] {
  if (node.kind === "command") return [];
  const shown = node.commands.filter(({ hidden }) => !hidden);
  return matching(
    shown.map(({ name, summary }) => ({ word: name, summary })),
    current,
  );
}

/** Options that the line lacks, and lists, which can be repeated. */
function optionNames(options: Options, before: readonly string[], current: string) {
  const given = new Set(
    parseWords(before, options).map((token) => (token.kind === "option" ? token.name : "")),
  );
  const left = Object.entries(options).filter(
    ([name, { hidden, type }]) => !hidden && (type === "list" || !given.has(name)),
  );
  return matching(
    left.map(([name, { summary }]) => ({ word: `--${name}`, summary })),
    current,
  );
}
