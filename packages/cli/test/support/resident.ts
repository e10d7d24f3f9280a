/** Runs command lines in a process that stays, where they do not need one of their own. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { find, nameOf } from "../../src/command/find.ts";
import { tree } from "../../src/tree.ts";
import type { Said } from "./resident-process.ts";
import { type Ended, Running } from "./running.ts";

/** A command line, with the environment of its process. */
export interface Order {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input: string | Buffer;
  /** The working directory; default: that of the tests. */
  readonly cwd?: string;
}

/**
 * Starts a command line, in a process of its own when it must be, and otherwise in one that stays:
 * starting takes a process far longer than most commands take.
 */
export function startCommand(order: Order, alone: () => Running): Running {
  return needsOwnProcess(order) ? alone() : startInResident(order);
}

let last: Promise<unknown> = Promise.resolve();

/** Runs a command line to its end; those in a process that stays one after the other. */
export function runCommand(order: Order, alone: () => Running): Promise<Ended> {
  if (needsOwnProcess(order)) return alone().ended;
  const ended = last.then(() => startInResident(order).ended);
  last = ended.catch(() => {});
  return ended;
}

/** These end by a signal, and their process with them. */
const ENDED_BY_SIGNALS = ["wharf serve"];

/**
 * The first run of each family of commands is as people have it; so are the version, which no command
 * prints, and commands that signals end, or that Node.js has options for.
 */
export function needsOwnProcess({ words, env }: Order): boolean {
  const { name, family } = commandOf(words);
  if (words[0] === "--version" || ENDED_BY_SIGNALS.includes(name)) return true;
  return env.NODE_OPTIONS !== undefined || isFirst(family);
}

interface Named {
  readonly name: string;
  /** The group that the command is in. */
  readonly family: string;
}

/** The command that a command line names; help of groups and mistakes count as one. */
function commandOf(words: readonly string[]): Named {
  try {
    const { path } = find(tree, words);
    const node = path.at(-1);
    if (node?.kind === "command") {
      return { name: nameOf(path), family: nameOf(path.slice(0, -1)) };
    }
  } catch {}
  return { name: "", family: "none" };
}

/** The folder in which the processes of a run of many test files mark the families that one of them has run. */
const FOLDER = process.env.WHARF_TEST_COMMANDS;

const ran = new Set<string>();

function isFirst(family: string): boolean {
  if (ran.has(family)) return false;
  ran.add(family);
  if (FOLDER === undefined) return true;
  try {
    writeFileSync(join(FOLDER, family), "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

/** Idle processes. */
const idle: ChildProcess[] = [];

/** Starts a command line in a process that stays; what it prints is passed on as it comes. */
export function startInResident(
  order: Order,
  on: Partial<Record<"stdout" | "stderr", (chunk: Uint8Array) => void>> = {},
): Running {
  const child = idle.pop() ?? start();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const streams = { stdout, stderr };
  const command = `wharf ${order.words.join(" ")}`;
  child.channel?.ref();
  const code = new Promise<number>((resolve, reject) => {
    const onExit = (code: number) => reject(new Error(`${command} ended its process with ${code}`));
    const onMessage = (said: Said) => {
      if ("stream" in said) {
        on[said.stream]?.(said.chunk);
        streams[said.stream].write(said.chunk);
        return;
      }
      child.off("exit", onExit).off("message", onMessage);
      child.channel?.unref();
      idle.push(child);
      resolve(said.code);
    };
    child.on("exit", onExit).on("message", onMessage);
    child.send(order);
  });
  const closed = [stdout, stderr].map((stream) => once(stream, "end"));
  const done = code.finally(() => {
    stdout.end();
    stderr.end();
  });
  return new Running({
    stdout,
    stderr,
    code: Promise.all([done, ...closed]).then(([code]) => code),
  });
}

/** Ends with its parent, and does not keep the parent alive. */
function start(): ChildProcess {
  const child = fork(join(import.meta.dirname, "resident-process.ts"), {
    execArgv: [],
    serialization: "advanced",
  });
  child.unref();
  return child;
}
