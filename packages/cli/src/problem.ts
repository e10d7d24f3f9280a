import { CommandError, EXIT, type Problem, SIGN_IN, type Violation } from "./errors.ts";

/** Exit codes and hints by the error codes of the server. */
const BY_CODE: Readonly<Record<string, { exitCode: number; hint?: string }>> = {
  INVALID_ARGUMENT: { exitCode: EXIT.usage, hint: "--help explains the options" },
  OUT_OF_RANGE: { exitCode: EXIT.usage, hint: "--help explains the options" },
  UNAUTHENTICATED: { exitCode: EXIT.unauthenticated, hint: SIGN_IN },
  PERMISSION_DENIED: {
    exitCode: EXIT.denied,
    hint: "ask an owner of the organization for a role with this capability",
  },
  NOT_FOUND: {
    exitCode: EXIT.notFound,
    hint: "it does not exist, or you are not allowed to see it",
  },
  ALREADY_EXISTS: {
    exitCode: EXIT.conflict,
    hint: "choose another name, or update the existing resource",
  },
  FAILED_PRECONDITION: { exitCode: EXIT.conflict },
  ABORTED: {
    exitCode: EXIT.conflict,
    hint: "it was changed concurrently: read it again and retry",
  },
  RESOURCE_EXHAUSTED: { exitCode: EXIT.unavailable, hint: "wait a moment and try again" },
  UNAVAILABLE: {
    exitCode: EXIT.unavailable,
    hint: "try again; `wharf config validate` checks the connection",
  },
  DEADLINE_EXCEEDED: {
    exitCode: EXIT.unavailable,
    hint: "try again; `wharf config validate` checks the connection",
  },
  UNKNOWN: {
    exitCode: EXIT.failed,
    hint: "it may have taken effect: check before you try again",
  },
  UNIMPLEMENTED: {
    exitCode: EXIT.failed,
    hint: "the server does not support this; a newer version may",
  },
  CANCELLED: { exitCode: EXIT.interrupted },
};

/** In messages of the server about what no role grants. */
const OPERATOR_ONLY = /\bthe operator's token\b/;

const ASK_OPERATOR = "ask the operator of the installation: `wharf admin token` prints their token";

/** Hints by the type of a failed precondition. */
const BY_VIOLATION: Readonly<Record<string, string>> = {
  BUILT_IN_ROLE: "create a custom role: `wharf iam roles create`",
  EVENT_CHANGED: "read it again with `wharf advisories events list`, then review it",
  EVENT_NOT_PENDING: "its author must update it first",
  EVENT_REVIEWED: "add another event: `wharf advisories events add`",
  NO_SESSION: "sign in with `wharf auth login`",
  RESOURCE_IN_USE: "delete what uses it first",
  RESOURCE_LIMIT_EXCEEDED: "delete unused resources, or ask the operator for a higher quota",
  RESOURCE_NOT_EMPTY: "delete its contents first",
  REVIEWER_IS_AUTHOR: "ask another reviewer who holds advisories.approve",
  TAG_IMMUTABLE: "choose another tag",
  TAG_NOT_MOVABLE: "choose another tag",
  TAG_PROTECTED:
    "`wharf tags unprotect` deletes a rule of the repo; rules of groups are tagRules of the API",
};

/** Texts for network errors. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "DNS lookup failed",
  ETIMEDOUT: "timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  UND_ERR_CONNECT_TIMEOUT: "timed out",
  UND_ERR_SOCKET: "connection reset",
};

/** Reason of a server that failed to start: the message has the reason. */
const DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE";

/** Converts anything thrown to what is printed. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof CommandError) return thrown.problem;
  if (!(thrown instanceof Error)) return { message: String(thrown), exitCode: EXIT.failed };
  if (thrown.name === "AbortError") return { message: "interrupted", exitCode: EXIT.interrupted };
  if (isFromServer(thrown)) return fromServer(thrown);
  if (thrown.name === "ConfigError") return { message: thrown.message, exitCode: EXIT.usage };
  const code = systemCode(thrown);
  if (code === DATABASE_UNAVAILABLE) {
    return { message: thrown.message, exitCode: EXIT.unavailable, code };
  }
  const cause = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : "";
  const reason = UNREACHABLE[code ?? ""];
  if (reason !== undefined && thrown.name !== "SystemError") {
    return { message: `${thrown.message}: ${reason}`, exitCode: EXIT.unavailable, code };
  }
  return { message: `${thrown.message}${cause}`, exitCode: EXIT.failed, code };
}

/** Whether the message suffices; otherwise the stack is printed, too. */
export function isExpected(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const ours = ["CommandError", "ConfigError", "AbortError"].includes(thrown.name);
  return ours || isFromServer(thrown) || systemCode(thrown) !== undefined;
}

/** A WharfError of the client, recognized by its shape: loading the client takes time. */
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
  cause,
}: ServerError): Problem {
  const known = BY_CODE[code] ?? { exitCode: EXIT.failed };
  const hint = hintFor(code, message) ?? tlsHint(cause) ?? BY_VIOLATION[violation?.type ?? ""];
  return {
    message: withoutViolations(message, fieldViolations),
    code,
    violations: fieldViolations,
    ...known,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Names who can help if the role of an owner cannot. */
function hintFor(code: string, message: string): string | undefined {
  return code === "PERMISSION_DENIED" && OPERATOR_ONLY.test(message) ? ASK_OPERATOR : undefined;
}

/** Failures of TLS, whose messages say nothing to most people. */
const TLS_HINTS: readonly (readonly [code: RegExp, hint: string])[] = [
  [
    /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    "the port speaks plain HTTP: use http:// in the API URL",
  ],
  [
    /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/,
    "if you know its certificate authority: --ca-cert FILE, or WHARF_CA_CERT",
  ],
];

function tlsHint(cause: unknown): string | undefined {
  const code = cause instanceof Error ? (systemCode(cause) ?? "") : "";
  return TLS_HINTS.find(([pattern]) => pattern.test(code))?.[1];
}

/** Removes the violations from the server's message: they are printed on lines of their own. */
function withoutViolations(message: string, violations: readonly Violation[]): string {
  const texts = violations.map(({ field, description }) =>
    field ? `${field}: ${description}` : description,
  );
  const repeated = `: ${texts.join("; ")}`;
  return message.endsWith(repeated) ? message.slice(0, -repeated.length) : message;
}

function systemCode(error: Error): string | undefined {
  const own = (error as NodeJS.ErrnoException).code;
  if (typeof own === "string") return own;
  return error.cause instanceof Error ? systemCode(error.cause) : undefined;
}
