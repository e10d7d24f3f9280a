import { EXIT, type Problem, SIGN_IN } from "./errors.ts";
import { isExpected, problemOf } from "./problem.ts";
import { type Style, terminalOf } from "./terminal/terminal.ts";
import { harmless } from "./terminal/width.ts";

/** Runs a command line and reports its errors. */
export async function runReportingErrors(
  words: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", exitOnClosedPipe);
  try {
    await work();
  } catch (thrown) {
    process.exitCode = problemOf(thrown).exitCode;
    process.stderr.write(reportOf(thrown, reportOptions(words)));
  }
}

/** A reader such as `head` has closed the pipe, which is not an error. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(EXIT.done);
  throw error;
}

/** Derived from the raw words, since parsing them may be what failed. */
function reportOptions(words: readonly string[]): ReportOptions {
  const end = words.indexOf("--");
  const before = (end < 0 ? words : words.slice(0, end)).join(" ");
  const output = /(?:^|\s)(?:-o|--output)[= ]?(\w+)/.exec(before)?.[1] ?? process.env.WHARF_OUTPUT;
  const color = /(?:^|\s)--color[= ](always|never)/.exec(before)?.[1] as "always" | undefined;
  const plain = /(?:^|\s)--no-color(?:\s|$)/.test(before);
  return {
    json: output === "json",
    verbose: /(?:^|\s)(?:-v|--verbose)(?:\s|$)/.test(before),
    hasTokenVariable: Boolean(process.env.WHARF_TOKEN?.trim()),
    style: terminalOf(process, process.env, plain ? "never" : (color ?? "auto")).remarkStyle,
  };
}

export interface ReportOptions {
  /** Whether the output format is JSON: errors are JSON then, too. */
  readonly json: boolean;
  readonly verbose: boolean;
  /** Whether WHARF_TOKEN is set, which takes precedence over a login. */
  readonly hasTokenVariable: boolean;
  readonly style: Style;
}

const REPLACE_TOKEN =
  "WHARF_TOKEN is set: replace it, or unset it and sign in with `wharf auth login`";

/** The text of an error on stderr: message, violations and hint. */
export function reportOf(
  thrown: unknown,
  { json, verbose, hasTokenVariable, style }: ReportOptions,
): string {
  const found = problemOf(thrown);
  const problem =
    found.hint === SIGN_IN && hasTokenVariable ? { ...found, hint: REPLACE_TOKEN } : found;
  if (json) return `${JSON.stringify({ error: problem })}\n`;
  // An unexpected error is a bug, and the stack helps to fix it.
  const stack = thrown instanceof Error && (verbose || !isExpected(thrown)) ? thrown.stack : "";
  return `${linesOf(problem, style).join("\n")}\n${stack ? `${stack}\n` : ""}`;
}

function linesOf({ message, violations = [], hint }: Problem, style: Style): string[] {
  return [
    `${style.red("wharf:")} ${harmless(message)}`,
    ...violations.map(({ field, description }) =>
      harmless(field === "" ? `  ${description}` : `  ${field}: ${description}`),
    ),
    ...(hint === undefined ? [] : [`  ${style.dim("→")} ${hint}`]),
  ];
}
