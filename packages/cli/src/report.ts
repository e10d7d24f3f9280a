import { LOG_IN, type Problem } from "./errors.ts";
import { isExpected, problemOf } from "./problem.ts";
import type { Style } from "./terminal/terminal.ts";
import { harmless } from "./terminal/width.ts";

export interface ReportOptions {
  /** Whether scripts read it: with `-o json`, errors are JSON as well. */
  readonly json: boolean;
  readonly verbose: boolean;
  /** Whether the token is that of WHARF_TOKEN: while it is set, logging in changes nothing. */
  readonly tokenIsGiven: boolean;
  readonly style: Style;
}

const NEW_TOKEN =
  "WHARF_TOKEN is set: put another token into it, or unset it and log in with `wharf auth login`";

/** An error as it is printed on stderr: what, which fields, and what to do next. */
export function reportOf(
  thrown: unknown,
  { json, verbose, tokenIsGiven, style }: ReportOptions,
): string {
  const found = problemOf(thrown);
  const problem = found.hint === LOG_IN && tokenIsGiven ? { ...found, hint: NEW_TOKEN } : found;
  if (json) return `${JSON.stringify({ error: problem })}\n`;
  // What nobody expected is our fault, and the stack is what helps to mend it.
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
