import type { WharfError } from "../../lib/errors.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Wire } from "../http.ts";
import type { RequestContext } from "../request-context.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** Timers hold no more; a month is as good as for ever. */
const MAX_MS = 2 ** 31 - 1;

/**
 * The milliseconds that a `grpc-timeout` header allows.
 *
 * @example timeoutMs("250m") // 250
 */
export function timeoutMs(header: string | string[]): number {
  const match = /^(\d{1,8})([HMSmun])$/.exec(String(header));
  if (!match) {
    const description = "grpc-timeout must be up to eight digits and one of H, M, S, m, u, n";
    throw invalidArgument({ field: "grpc-timeout", description });
  }
  const ms = Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  return Math.min(ms, MAX_MS);
}

/**
 * Starts the clock of a call: the client's own where it is shorter than ours.
 *
 * @example armCall(context, wire, headers["grpc-timeout"], fail);
 */
export function armCall(
  context: RequestContext,
  { deadlines, limits }: Wire,
  header: string | string[] | undefined,
  late: (error: WharfError) => void,
): void {
  const ms = header === undefined ? limits.requestMs : timeoutMs(header);
  if (ms < limits.requestMs) context.armWithin(ms, late);
  else context.arm(deadlines, late);
}
