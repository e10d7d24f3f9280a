/**
 * What went wrong, how it is said, and the exit code that scripts look at.
 */

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
  interrupted: 130,
} as const;

export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.done, "Done."],
  [EXIT.failed, "Failed for any other reason."],
  [EXIT.usage, "Wrong use: an unknown command, a missing argument, a value that cannot be used."],
  [EXIT.unauthenticated, "Not logged in, or the token is not accepted."],
  [EXIT.denied, "The caller may not do this."],
  [EXIT.notFound, "No such thing."],
  [EXIT.conflict, "It exists already, has changed meanwhile, or its state does not allow it."],
  [EXIT.unavailable, "The server cannot be reached or is overloaded."],
  [EXIT.interrupted, "Interrupted with Ctrl-C."],
];

export interface Violation {
  readonly field: string;
  readonly description: string;
}

/** An error as it is told: what, where, and what to do next. */
export interface Problem {
  readonly message: string;
  readonly exitCode: number;
  /** The server's name for the kind of error, such as NOT_FOUND. */
  readonly code?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  /** What to do next. */
  readonly hint?: string | undefined;
}

/** The one error class of the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(problem.message, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}

/** The command line cannot be used. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError({ message, exitCode: EXIT.usage, hint });
}

export function notFound(message: string, hint?: string): CommandError {
  return new CommandError({ message, exitCode: EXIT.notFound, code: "NOT_FOUND", hint });
}

/** The command was understood and could not be done. */
export function failed(message: string, hint?: string): CommandError {
  return new CommandError({ message, exitCode: EXIT.failed, hint });
}

/** Nobody is logged in. */
export function unauthenticated(message: string): CommandError {
  return new CommandError({
    message,
    exitCode: EXIT.unauthenticated,
    code: "UNAUTHENTICATED",
    hint: LOG_IN,
  });
}

export const LOG_IN = "log in with `wharf auth login`, or put a token into WHARF_TOKEN";

/** Ctrl-C, at a prompt or while working. */
export function interrupted(): CommandError {
  return new CommandError({ message: "interrupted", exitCode: EXIT.interrupted });
}
