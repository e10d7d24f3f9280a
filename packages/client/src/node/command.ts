import { execFile } from "node:child_process";
import { none } from "../tokens/platforms.ts";
import { remembered } from "../tokens/remembered.ts";
import { type TokenSource, withExpiry } from "../tokens/source.ts";

/**
 * What a command prints. It is run without a shell, and again when its last token is about to end.
 *
 * @example tokens.command(["gcloud", "auth", "print-identity-token"])
 */
export function command(argv: readonly [program: string, ...args: string[]]): TokenSource {
  const [program, ...args] = argv;
  return remembered(async ({ signal }) => {
    const token = (await run(program, args, signal)).trim();
    if (token === "") throw none(`${program} prints nothing`);
    return withExpiry(token);
  });
}

function run(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { signal, encoding: "utf8" }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      // What it printed may be half a token; what it complains about is for people.
      const complaint = stderr.trim().split("\n").at(-1) ?? "";
      const how = typeof error.code === "number" ? `ends with ${error.code}` : `fails`;
      const why = complaint === "" ? (error.code ?? error.message) : complaint;
      reject(none(`${program} ${how}: ${why}`));
    });
  });
}
