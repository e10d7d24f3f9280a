/** A program on a PATH whose commands run in a process that stays, where they need none of their own. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { BIN } from "./auth-home.ts";
import { LAUNCHER } from "./command.ts";
import { needsOwnProcess, type Order, startInResident } from "./resident.ts";

/** The answer to a shell for a command that needs a process of its own. */
const OWN = "own";

/** A program of ours. */
interface Program {
  readonly name: string;
  readonly launcher: string;
  /** The words that it puts before its arguments. */
  readonly words: readonly string[];
}

const WHARF: Program = { name: "wharf", launcher: LAUNCHER, words: [] };

export const CREDENTIAL_HELPER: Program = {
  name: "docker-credential-wharf",
  launcher: join(BIN, "docker-credential-wharf.cjs"),
  words: ["auth", "docker-credential"],
};

export class ShellCommand {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Puts the command into a folder. */
  static async install(bin: string, program: Program = WHARF): Promise<ShellCommand> {
    const socket = join(bin, "socket");
    let calls = 0;
    const answer = async (sent: Order) => {
      const order = { ...sent, words: [...program.words, ...sent.words] };
      const call = calls++;
      // The first run of a launcher is as people have it.
      const isFirst = program !== WHARF && call === 0;
      if (isFirst || needsOwnProcess(order)) return OWN;
      const replay = join(bin, `replay-${call}`);
      writeFileSync(replay, await replayOf(order));
      return replay;
    };
    const server = createServer((request, response) => {
      const answered = buffer(request).then((sent) => answer(orderOf(sent)));
      answered.then(
        (text) => response.end(text),
        () => response.destroy(),
      );
    });
    await once(server.listen(socket), "listening");
    // The standard input of a walkthrough's shell never ends.
    const script = `#!/bin/sh
input='${bin}'/input-$$
if [ /dev/stdin -ef "/proc/$WALK_PID/fd/0" ]; then : > "$input"; else cat > "$input"; fi
replay=$({ printf '%s\\0' "$PWD" "$#" "$@"; cat /proc/$$/environ; printf '\\0'; cat "$input"; } |
  curl -sS --unix-socket '${socket}' --data-binary @- http://localhost/)
[ "$replay" = ${OWN} ] && exec '${process.execPath}' '${program.launcher}' "$@" < "$input"
. "$replay"
`;
    writeFileSync(join(bin, program.name), script, { mode: 0o755 });
    return new ShellCommand(server);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Folder, number of words, words and environment, each ended by NUL, one more NUL, and the input. */
function orderOf(sent: Buffer): Order {
  const [cwd = "", count, ...rest] = sent.toString("latin1").split("\0");
  const words = rest.slice(0, Number(count));
  const variables = rest.slice(words.length, rest.indexOf("", words.length));
  const input = rest.slice(words.length + variables.length + 1).join("\0");
  const env = Object.fromEntries(
    variables.map(utf8).map((variable) => {
      const [name = "", ...value] = variable.split("=");
      return [name, value.join("=")];
    }),
  );
  return { words: words.map(utf8), env, input: Buffer.from(input, "latin1"), cwd: utf8(cwd) };
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}

/** Shell code that prints what a command has printed, in the same order, and exits as it did. */
async function replayOf(order: Order): Promise<string> {
  const lines: string[] = [];
  const print = (to: 1 | 2) => (chunk: unknown) => {
    lines.push(`printf %s '${String(chunk).replaceAll("'", `'\\''`)}' >&${to}`);
  };
  const { code } = await startInResident(order, { stdout: print(1), stderr: print(2) }).ended;
  return `${lines.join("\n")}\nexit ${code}\n`;
}
