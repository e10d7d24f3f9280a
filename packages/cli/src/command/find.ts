import { usageError } from "../errors.ts";
import type { Command, Group, Node } from "./definition.ts";
import { GLOBALS } from "./globals.ts";
import { parseWords } from "./scan.ts";
import { didYouMean } from "./suggest.ts";

export interface Found {
  /** From the root to what was named. */
  readonly path: readonly [Group, ...Node[]];
  /** What was given beside the names: options before them, and all that comes after. */
  readonly words: readonly string[];
}

/** Finds what a command line names. */
export function find(root: Group, words: readonly string[]): Found {
  const path: [Group, ...Node[]] = [root];
  const before: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const node = path.at(-1) as Node;
    if (node.kind === "command" || word === "--")
      return { path, words: [...before, ...words.slice(at)] };
    const otherwise = node.otherwise === undefined ? undefined : child(node, node.otherwise);
    if (word.startsWith("-") && (otherwise === undefined || isGlobal(word))) {
      before.push(word);
      if (takesNext(word) && at + 1 < words.length) before.push(words[++at] as string);
      continue;
    }
    if (otherwise !== undefined && child(node, word) === undefined) {
      return { path: [...path, otherwise], words: [...before, ...words.slice(at)] };
    }
    path.push(childOf(node, word, path));
  }
  return { path, words: before };
}

/** The child of a group by name or alias. */
export function child(node: Group, word: string): Node | undefined {
  return node.commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
}

/** The command's names, as they are typed. */
export function nameOf(path: readonly Node[]): string {
  return path.map(({ name }) => name).join(" ");
}

/** Every command of the tree with its path, in order; hidden ones are left out. */
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
    didYouMean(word, names) ?? `\`${nameOf(path)} --help\` lists what there is`,
  );
}

/** Whether an option is one that every command takes. */
function isGlobal(word: string): boolean {
  const [token] = parseWords([word], GLOBALS);
  return token?.kind === "option" && Object.hasOwn(GLOBALS, token.name);
}

/** Whether an option before the names takes the word after it as its value. */
function takesNext(word: string): boolean {
  const [token] = parseWords([word, "x"], GLOBALS);
  return token?.kind === "option" && token.value === "x";
}
