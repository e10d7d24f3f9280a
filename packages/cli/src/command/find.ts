import { usageError } from "../errors.ts";
import type { Command, Group, Node } from "./definition.ts";
import { GLOBALS } from "./globals.ts";
import { parseWords } from "./scan.ts";
import { didYouMean } from "./suggest.ts";

export interface Found {
  /** From the root to the command or group. */
  readonly path: readonly [Group, ...Node[]];
  /** Words besides the names: options before them, and everything after. */
  readonly words: readonly string[];
}

/** Finds the command or group that a command line names. */
export function find(root: Group, words: readonly string[]): Found {
  const path: [Group, ...Node[]] = [root];
  const before: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const node = path.at(-1) as Node;
    if (node.kind === "command" || word === "--")
      return { path, words: [...before, ...words.slice(at)] };
    const fallback = node.fallback === undefined ? undefined : child(node, node.fallback);
    if (word.startsWith("-") && (fallback === undefined || isGlobal(word))) {
      before.push(word);
      if (takesNext(word) && at + 1 < words.length) before.push(words[++at] as string);
      continue;
    }
    if (fallback !== undefined && child(node, word) === undefined) {
      return { path: [...path, fallback], words: [...before, ...words.slice(at)] };
    }
    path.push(childOf(node, word, path));
  }
  return { path, words: before };
}

/** The child of a group by name or alias. */
export function child(node: Group, word: string): Node | undefined {
  return node.commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
}

/** The words that invoke a command. */
export function nameOf(path: readonly Node[]): string {
  return path.map(({ name }) => name).join(" ");
}

/** Every visible command with its path, in order. */
export function* commandsOf(
  node: Group,
  path: readonly Node[] = [node],
): Generator<{ path: readonly Node[]; command: Command }> {
  for (const next of node.commands) {
    if (next.hidden) continue;
    const below = [...path, next];
    if (next.kind === "command") yield { path: below, command: next };
    else yield* commandsOf(next, below);
  }
}

function childOf(node: Group, word: string, path: readonly Node[]): Node {
  const next = child(node, word);
  if (next !== undefined) return next;
  const names = node.commands
    .filter(({ hidden }) => !hidden)
    .flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  throw usageError(
    `unknown command "${word}" of ${nameOf(path)}`,
    didYouMean(word, names) ?? `\`${nameOf(path)} --help\` lists its commands`,
  );
}

/** Whether every command takes this option. */
function isGlobal(word: string): boolean {
  const [token] = parseWords([word], GLOBALS);
  return token?.kind === "option" && Object.hasOwn(GLOBALS, token.name);
}

/** Whether an option before the names takes the next word as its value. */
function takesNext(word: string): boolean {
  const [token] = parseWords([word, "x"], GLOBALS);
  return token?.kind === "option" && token.value === "x";
}
