/** A `wharf` on the PATH of a shell whose commands run in a process that stays, where they need none of their own. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { LAUNCHER } from "./command.ts";
import { needsOwnProcess, type Order, startInResident } from "./resident.ts";

/** The answer to a shell for a command that needs a process of its own. */
const OWN = "own";

export class ShellCommand {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Puts the command into a folder. */
  static async install(bin: string): Promise<ShellCommand> {
    const socket = join(bin, "socket");
    let started = 0;
    const answer = async (order: Order) => {
      if (needsOwnProcess(order)) return OWN;
      const replay = join(bin, `replay-${started++}`);
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
    const alone = `exec '${process.execPath}' '${LAUNCHER}' "$@"`;
    // One that is given input reads it itself.
    const script = `#!/bin/sh
[ /dev/stdin -ef "/proc/$WALK_PID/fd/0" ] || ${alone}
replay=$({ printf '%s\\0' "$PWD" "$#" "$@"; cat /proc/$$/environ; } |
  curl -sS --unix-socket '${socket}' --data-binary @- http://localhost/)
[ "$replay" = ${OWN} ] && ${alone}
. "$replay"
`;
    writeFileSync(join(bin, "wharf"), script, { mode: 0o755 });
    return new ShellCommand(server);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Folder, number of words, words and environment, each ended by NUL. */
function orderOf(sent: Buffer): Order {
  const [cwd = "", count, ...rest] = sent.toString("utf8").split("\0");
  const words = rest.slice(0, Number(count));
  const variables = rest.slice(words.length).filter((variable) => variable !== "");
  const env = Object.fromEntries(
    variables.map((variable) => {
      const [name = "", ...value] = variable.split("=");
      return [name, value.join("=")];
    }),
  );
  return { words, env, input: "", cwd };
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
