import { WharfError } from "../../lib/errors.ts";
import { HttpFault } from "../../wire/http/http.ts";
import type { ServedManifest } from "../serve/served-manifest.ts";

/** Whether the upstream may answer later, so that what is stored is served meanwhile. */
export function isPassing(error: unknown): error is WharfError {
  const passing = ["UNAVAILABLE", "DEADLINE_EXCEEDED", "FAILED_PRECONDITION", "UNKNOWN"];
  return error instanceof WharfError && passing.includes(error.code);
}

/** An upstream that answers otherwise than the protocol requires is no error of this server. */
export function badGateway(error: unknown): unknown {
  const isOurs = !(error instanceof WharfError) || error.code !== "UNKNOWN";
  return isOurs ? error : new HttpFault(error, 502);
}

/** A stored tag whose upstream could not be asked, and the reason. */
export function stale(local: ServedManifest, time: number, why: string): ServedManifest {
  const age = Math.max(0, Math.floor((time - local.seen) / 1_000));
  return { ...local, headers: { warning: warningOf(why), age: String(age) } };
}

/** The warning of a stale response (RFC 7234, section 5.5.1). */
export function warningOf(why: string): string {
  return `110 - "Response is Stale: ${why.replaceAll(/[^\x20-\x7e]|["\\]/g, "'")}"`;
}
