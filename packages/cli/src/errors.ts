/** Errors of the CLI and their exit codes. */

/** Documented in docs/cli.md and wharf(1). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unauthenticated: 3,
  denied: 4,
  notFound: 5,
  conflict: 6,
  unavailable: 7,
  findings: 8,
  interrupted: 130,
} as const;

export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.done, "Success."],
  [EXIT.failed, "Any other error."],
  [EXIT.usage, "Usage error: an unknown command, a missing argument, an invalid value."],
  [EXIT.unauthenticated, "Not signed in, or the token is invalid."],
  [EXIT.denied, "Permission denied."],
  [EXIT.notFound, "Not found."],
  [
    EXIT.conflict,
    "Conflict: it already exists, was changed concurrently, or is in the wrong state.",
  ],
  [EXIT.unavailable, "The server is unavailable or overloaded."],
  [
    EXIT.findings,
    "Findings at or above the severity of --fail-on, or no verified signature with --require-verified.",
  ],
  [EXIT.interrupted, "Interrupted with Ctrl-C."],
];

export interface Violation {
  readonly field: string;
  readonly description: string;
}

/** An error as it is printed. */
export interface Problem {
  readonly message: string;
  readonly exitCode: number;
  /** The canonical error code, such as NOT_FOUND. */
  readonly code?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  /** The next step. */
  readonly hint?: string | undefined;
}

/** The only error class of the CLI. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(problem.message, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}

/** The command line is invalid. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError({ message, exitCode: EXIT.usage, hint });
}

export function notFound(message: string, hint?: string): CommandError {
  return new CommandError({ message, exitCode: EXIT.notFound, code: "NOT_FOUND", hint });
}

export function failed(message: string, hint?: string): CommandError {
  return new CommandError({ message, exitCode: EXIT.failed, hint });
}

/** The caller is not signed in. */
export function unauthenticated(message: string, hint = SIGN_IN): CommandError {
  return new CommandError({
    message,
    exitCode: EXIT.unauthenticated,
    code: "UNAUTHENTICATED",
    hint,
  });
}

export const SIGN_IN = "sign in with `wharf auth login`, or set WHARF_TOKEN";

/** Ctrl-C, at a prompt or in a command. */
export function interrupted(): CommandError {
  return new CommandError({ message: "interrupted", exitCode: EXIT.interrupted });
}
