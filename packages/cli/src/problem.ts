import { CommandError, EXIT, LOG_IN, type Problem, type Violation } from "./errors.ts";

/** What each kind of error of the server comes to, and what to do about it. */
const BY_CODE: Readonly<Record<string, { exitCode: number; hint?: string }>> = {
  INVALID_ARGUMENT: { exitCode: EXIT.usage, hint: "--help tells what the command takes" },
  OUT_OF_RANGE: { exitCode: EXIT.usage, hint: "--help tells what the command takes" },
  UNAUTHENTICATED: { exitCode: EXIT.unauthenticated, hint: LOG_IN },
  PERMISSION_DENIED: {
    exitCode: EXIT.denied,
    hint: "ask an owner of the organization for a role that has this",
  },
  NOT_FOUND: {
    exitCode: EXIT.notFound,
    hint: "list what there is, or check that you see it: what you may not see is not found either",
  },
  ALREADY_EXISTS: { exitCode: EXIT.conflict, hint: "choose another name, or update what is there" },
  FAILED_PRECONDITION: { exitCode: EXIT.conflict },
  ABORTED: { exitCode: EXIT.conflict, hint: "it has changed meanwhile: look again, and try again" },
  RESOURCE_EXHAUSTED: { exitCode: EXIT.unavailable, hint: "wait a little and try again" },
  UNAVAILABLE: {
    exitCode: EXIT.unavailable,
    hint: "try again; `wharf config validate` finds out why",
  },
  DEADLINE_EXCEEDED: {
    exitCode: EXIT.unavailable,
    hint: "try again; `wharf config validate` finds out why",
  },
  UNIMPLEMENTED: { exitCode: EXIT.failed, hint: "this server does not have that; a newer one may" },
  CANCELLED: { exitCode: EXIT.interrupted },
};

/** What to do about each state that does not allow something; what is not here says it in its message. */
const BY_VIOLATION: Readonly<Record<string, string>> = {
  BUILT_IN_ROLE: "make a role of your own: `wharf iam roles create`",
  EVENT_CHANGED: "look at it again with `wharf advisories events list`, then review it",
  EVENT_NOT_PENDING: "its author changes it first",
  EVENT_REVIEWED: "add another event: `wharf advisories events add`",
  NO_SESSION: "log in with `wharf auth login`",
  RESOURCE_IN_USE: "take away what uses it, then try again",
  RESOURCE_LIMIT_EXCEEDED: "delete what is not needed, or ask the operator for a higher limit",
  RESOURCE_NOT_EMPTY: "take away what is in it, then try again",
  REVIEWER_IS_AUTHOR: "ask someone else who holds advisories.approve",
  TAG_NOT_MOVABLE: "choose another tag",
};

/** What the system says when there is no way to the server. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name cannot be looked up now",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "no way to that host",
  ENETUNREACH: "no way to that network",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
  UND_ERR_SOCKET: "the connection was cut",
};

/** Turns anything thrown into what is told about it. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof CommandError) return thrown.problem;
  if (!(thrown instanceof Error)) return { message: String(thrown), exitCode: EXIT.failed };
  if (thrown.name === "AbortError") return { message: "interrupted", exitCode: EXIT.interrupted };
  if (isFromServer(thrown)) return fromServer(thrown);
  if (thrown.name === "ConfigError") return { message: thrown.message, exitCode: EXIT.usage };
  const code = systemCode(thrown);
  const cause = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : "";
  const reason = UNREACHABLE[code ?? ""];
  if (reason !== undefined && thrown.name !== "SystemError") {
    return { message: `${thrown.message}: ${reason}`, exitCode: EXIT.unavailable, code };
  }
  return { message: `${thrown.message}${cause}`, exitCode: EXIT.failed, code };
}

/** Whether the message says all there is to say: if not, the stack is wanted, too. */
export function isExpected(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const ours = ["CommandError", "ConfigError", "AbortError"].includes(thrown.name);
  return ours || isFromServer(thrown) || systemCode(thrown) !== undefined;
}

/** What a WharfError of the client tells. Told by shape: loading the client only to ask takes time. */
interface ServerError extends Error {
  readonly code: string;
  readonly fieldViolations: readonly Violation[];
  readonly preconditionViolations: readonly { readonly type: string }[];
}

function isFromServer(error: Error): error is ServerError {
  return Array.isArray((error as ServerError).fieldViolations);
}

function fromServer({
  code,
  fieldViolations,
  preconditionViolations: [violation],
  message,
}: ServerError): Problem {
  const known = BY_CODE[code] ?? { exitCode: EXIT.failed };
  const hint = BY_VIOLATION[violation?.type ?? ""];
  return {
    message: withoutViolations(message, fieldViolations),
    code,
    violations: fieldViolations,
    ...known,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** The server's message repeats what the fields say, and they get lines of their own. */
function withoutViolations(message: string, violations: readonly Violation[]): string {
  const said = violations.map(({ field, description }) =>
    field ? `${field}: ${description}` : description,
  );
  const repeated = `: ${said.join("; ")}`;
  return message.endsWith(repeated) ? message.slice(0, -repeated.length) : message;
}

function systemCode(error: Error): string | undefined {
  const own = (error as NodeJS.ErrnoException).code;
  if (typeof own === "string") return own;
  return error.cause instanceof Error ? systemCode(error.cause) : undefined;
}
