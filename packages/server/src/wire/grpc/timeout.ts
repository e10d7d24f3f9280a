import type { WharfError } from "../../lib/errors.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Wire } from "../http/http.ts";
import type { RequestContext } from "../http/request-context.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** The maximum of setTimeout. */
const MAX_MS = 2 ** 31 - 1;

/** Parses a `grpc-timeout` header into milliseconds. */
export function timeoutMs(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const match = /^(\d{1,8})([HMSmun])$/.exec(String(header));
  if (!match) {
    const description = "grpc-timeout must be up to eight digits and one of H, M, S, m, u, n";
    throw invalidArgument({ field: "grpc-timeout", description });
  }
  const ms = Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  return Math.min(ms, MAX_MS);
}

/** Sets the deadline of a call: the client's if it is earlier than the server's. */
export function setCallDeadline(
  context: RequestContext,
  { deadlines, limits }: Wire,
  ms: number | undefined,
  onTimeout: (error: WharfError) => void,
): void {
  if (ms !== undefined && ms < limits.requestMs) context.setTimeLimit(ms, onTimeout);
  else context.setDeadline(deadlines, onTimeout);
}
