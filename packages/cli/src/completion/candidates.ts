import type { Argument, Command, Group, Node, Option, Options } from "../command/definition.ts";
import { find } from "../command/find.ts";
import { GLOBALS } from "../command/globals.ts";
import { parseWords, scan } from "../command/scan.ts";
import { makeContext } from "../context.ts";
import { type Environment, readConfigOf, readSettings } from "../settings.ts";
import { harmless } from "../terminal/width.ts";

export interface Candidate {
  readonly word: string;
  readonly summary?: string | undefined;
}

/** Few wait longer for a name, unless their server is far away. */
const PATIENCE_S = 2;
const MAX_PATIENCE_S = 3600;

/** Tells the shell to complete names of files. */
const FILES: readonly Candidate[] = [{ word: ":files" }];

/** What the last of the words may become. */
export async function candidates(
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
  const ask = (asked: Argument | Option, given = rest) =>
    answersOf(asked, given, options, environment);
  const [flag, typed] = optionBeingGiven(rest, current, options) ?? [];
  if (flag !== undefined) {
    const prefix = current.slice(0, current.length - (typed as string).length);
    const isInline = prefix !== "";
    const answers = await ask(flag, isInline ? rest : rest.slice(0, -1));
    return matching(answers, typed as string, prefix);
  }
  const ended = rest.includes("--");
  if (current.startsWith("-") && !ended) return optionNames(options, rest, current);
  if (node.kind === "group") return commandNames(node, current);
  const argument = argumentAt(node, node.raw ? [] : scan(rest, options).positionals);
  return argument === undefined ? [] : matching(await ask(argument), current);
}

function optionsOf(command: Command): Options {
  return command.raw ? (command.options ?? {}) : { ...GLOBALS, ...command.options };
}

/** The option whose value is being typed, and what of it there is. */
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

async function answersOf(
  asked: Argument | Option,
  words: readonly string[],
  options: Options,
  environment: Environment,
): Promise<readonly Candidate[]> {
  if ("choices" in asked) return asked.choices.map((word) => ({ word }));
  const isPath =
    "type" in asked && (asked.type === "file" || /^(FILE|DIR)$/.test(asked.value ?? ""));
  if (isPath) return FILES;
  if (asked.complete === undefined) return [];
  // What is typed so far may name another server.
  const { given } = scan(words, options);
  const config = await readConfigOf(given, environment);
  const settings = readSettings({ given, environment, config }, { options });
  const signal = AbortSignal.timeout(1000 * patience(environment));
  const context = await makeContext({ settings, environment, signal });
  return (await asked.complete(context)).map((word) => ({ word: harmless(word) }));
}

/** How many seconds to wait for the server. */
function patience({ WHARF_COMPLETION_SECONDS: asked }: Environment): number {
  return Number(asked) > 0 && Number(asked) <= MAX_PATIENCE_S ? Number(asked) : PATIENCE_S;
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

/** Options that can still be given. */
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
