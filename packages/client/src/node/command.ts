import { execFile } from "node:child_process";
import { cachedSource } from "../tokens/cached.ts";
import { noToken } from "../tokens/platforms.ts";
import { type TokenSource, withExpiry } from "../tokens/source.ts";

/**
 * The output of a command. It runs without a shell, and again before its last token expires.
 *
 * @example tokens.command(["gcloud", "auth", "print-identity-token"])
 */
export function command(argv: readonly [program: string, ...args: string[]]): TokenSource {
  const [program, ...args] = argv;
  return cachedSource(async ({ signal }) => {
    const token = (await run(program, args, signal)).trim();
    if (token === "") throw noToken(`${program} has no output`);
    return withExpiry(token);
  });
}

function run(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { signal, encoding: "utf8" }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      // Its output may contain a part of a token; its errors are printed.
      const complaint = stderr.trim().split("\n").at(-1) ?? "";
      const how = typeof error.code === "number" ? `ends with ${error.code}` : `fails`;
      const why = complaint === "" ? (error.code ?? error.message) : complaint;
      reject(noToken(`${program} ${how}: ${why}`));
    });
  });
}
