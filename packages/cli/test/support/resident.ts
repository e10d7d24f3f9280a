import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { find, nameOf } from "../../src/command/find.ts";
import { tree } from "../../src/tree.ts";

/** A command line, and all that a process would be given with it. */
export interface Order {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input: string | Buffer;
}

/** Exit code and output of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line, in a process of its own when it must be, and otherwise in one that stays:
 * starting takes a process far longer than most commands take.
 */
export async function runCommand(order: Order, alone: () => Promise<Ended>): Promise<Ended> {
  if (isBusy || needsOwnProcess(order)) return alone();
  isBusy = true;
  try {
    return await ask(order);
  } finally {
    isBusy = false;
  }
}

let isBusy = false;
const ran = new Set<string>();

/**
 * The first run of each command is a process of its own, as for users. So are all runs of commands that
 * manage processes or have input: some read the standard input of the process.
 */
function needsOwnProcess({ words, input }: Order): boolean {
  const name = commandOf(words);
  if (name === undefined || input !== "") return true;
  const isFirst = !ran.has(name);
  ran.add(name);
  return isFirst;
}

/** What a command line names; undefined for nothing, for groups, and for what reads its words itself. */
function commandOf(words: readonly string[]): string | undefined {
  try {
    const { path } = find(tree, words);
    const node = path.at(-1);
    return node?.kind === "command" && !node.raw ? nameOf(path) : undefined;
  } catch {
    return undefined;
  }
}

let resident: ChildProcess | undefined;

async function ask(order: Order): Promise<Ended> {
  resident ??= start();
  const child = resident;
  child.channel?.ref();
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const answer = once(child, "message", { signal });
    const end = once(child, "exit", { signal });
    child.send(order);
    return await Promise.race([
      answer.then(([said]) => said as Ended),
      end.then(([code]) => {
        throw new Error(`wharf ${order.words.join(" ")} ended its process with ${code}`);
      }),
    ]);
  } catch (error) {
    child.kill("SIGKILL");
    resident = undefined;
    throw error;
  } finally {
    ended.abort();
    child.channel?.unref();
  }
}

/** Ends with its parent, and does not keep the parent alive. */
function start(): ChildProcess {
  const child = fork(join(import.meta.dirname, "resident-process.ts"), { execArgv: [] });
  child.unref();
  return child;
}
