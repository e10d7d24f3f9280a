/** Executes the `console` blocks of a document and compares their output. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestServer } from "../../../server/test/support/server/test-server.ts";
import { cleanEnvironment } from "./command.ts";
import { ShellCommand } from "./shell-command.ts";

/** The separator between the outputs of two commands; no command prints it. */
const END = "=== end of command ===";

/** A command of a document, and its documented output. */
export interface Step {
  readonly command: string;
  readonly output: string;
}

/**
 * The commands of a document's `console` blocks: what follows "$ ", with lines that a backslash or a here-document
 * adds. Everything else in a block is output. A block in a list item is indented, and so are its lines.
 */
export function stepsOf(document: string): Step[] {
  const blocks = [...document.matchAll(/^( *)```console\n(.*?)^\1```$/gms)];
  return blocks.flatMap(([, indent, block = ""]) =>
    stepsOfBlock(block.replaceAll(new RegExp(`^${indent}`, "gm"), "")),
  );
}

function stepsOfBlock(block: string): Step[] {
  const steps: { command: string; output: string }[] = [];
  for (const line of block.split(/(?<=\n)/)) {
    const last = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), output: "" });
    else if (last && goesOn(last.command)) last.command += line;
    else if (last) last.output += line;
  }
  return steps;
}

/** Whether the next line still belongs to a command. */
function goesOn(command: string): boolean {
  return command.endsWith("\\\n") || (command.includes("<<'EOF'") && !command.endsWith("\nEOF\n"));
}

/** The prerequisites of a document beside the server. */
export interface Surroundings {
  /** Files of the working directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Programs on the PATH, as shell scripts by name. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Hosts of the document, and the ones to use in their place. */
  readonly hosts?: Readonly<Record<string, string>>;
}

/**
 * Runs commands of a document one after the other in one shell, as a reader would, against a server of ours. Each
 * must print what the document says, except for uids, keys and times; equal ones there must be equal here.
 */
export async function walkThrough(
  steps: readonly Step[],
  server: TestServer,
  more: Readonly<Record<string, string>> = {},
  { files = {}, programs = {}, hosts = {} }: Surroundings = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "wharf-walk-"));
  let command: ShellCommand | undefined;
  try {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    command = await ShellCommand.install(bin);
    // Installed programs are found on the PATH, so that nothing is downloaded.
    const npx = '#!/bin/sh\n[ "$1" = --no-install ] || exit 1\nshift\nexec "$@"\n';
    writeFileSync(join(bin, "npx"), npx, { mode: 0o755 });
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const env = cleanEnvironment({
      PATH: `${bin}:${process.env.PATH}`,
      WHARF_API: server.url,
      WHARF_DATA: server.data,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_CACHE_HOME: join(folder, "cache"),
      ...more,
    });
    const commands = steps.map(({ command }) => `${command}echo '${END}'\n`).join("");
    const addresses = [["http://127.0.0.1:8080", server.url] as const, ...Object.entries(hosts)];
    const script = addresses.reduce(
      (text, [written, used]) => text.replaceAll(written, used),
      `exec 2>&1\nexport WALK_PID=$$\n${commands}`,
    );
    const run = promisify(execFile);
    const { stdout } = await run("bash", ["-c", script], { cwd: folder, env });
    const shown = addresses.reduce(
      (text, [written, used]) => text.replaceAll(used, written),
      stdout,
    );
    const printed = shown.split(`${END}\n`);
    assert.equal(printed.length, steps.length + 1, stdout);
    const [here, there] = [new Names(), new Names()];
    for (const [at, { command, output }] of steps.entries()) {
      assert.equal(here.in(printed[at] ?? ""), there.in(output), command);
    }
  } finally {
    command?.stop();
    rmSync(folder, { recursive: true });
  }
}

/** 32 bytes in base64url: ids of keys, and secrets. */
const KEY = /(?<![\w-])[\w-]{43}(?![\w-])/g;
const UID = /\b[0-9a-f]{40}(?:[/_][0-9a-f]{16})*\b/g;

/** Names for what differs each time, by the order in which it comes up. */
class Names {
  readonly #names = new Map<string, string>();

  in(text: string): string {
    return text
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replaceAll(UID, (uid) => this.#nameOf("uid", uid))
      .replaceAll(KEY, (key) => this.#nameOf("key", key));
  }

  #nameOf(what: string, text: string): string {
    const name = this.#names.get(text) ?? `<${what} ${this.#names.size + 1}>`;
    this.#names.set(text, name);
    return name;
  }
}
