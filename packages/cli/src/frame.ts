import { EXIT } from "./errors.ts";
import { problemOf } from "./problem.ts";
import { type ReportOptions, reportOf } from "./report.ts";
import { terminalOf } from "./terminal/terminal.ts";

/** Does the work of a command line, and tells what went wrong. */
export async function framed(words: readonly string[], work: () => Promise<void>): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endWithReader);
  try {
    await work();
  } catch (thrown) {
    process.exitCode = problemOf(thrown).exitCode;
    process.stderr.write(reportOf(thrown, reportOptions(words)));
  }
}

/** Whoever read our output has seen enough, as `head` does: nothing is wrong. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(EXIT.done);
  throw error;
}

/** Told by the words alone: what failed may be the reading of them. */
function reportOptions(words: readonly string[]): ReportOptions {
  const end = words.indexOf("--");
  const before = (end < 0 ? words : words.slice(0, end)).join(" ");
  const output = /(?:^|\s)(?:-o|--output)[= ]?(\w+)/.exec(before)?.[1] ?? process.env.WHARF_OUTPUT;
  const color = /(?:^|\s)--color[= ](always|never)/.exec(before)?.[1] as "always" | undefined;
  const plain = /(?:^|\s)--no-color(?:\s|$)/.test(before);
  return {
    json: output === "json",
    verbose: /(?:^|\s)(?:-v|--verbose)(?:\s|$)/.test(before),
    tokenIsGiven: Boolean(process.env.WHARF_TOKEN?.trim()),
    style: terminalOf(process, process.env, plain ? "never" : (color ?? "auto")).remarkStyle,
  };
}
