import { truncateUserAgent } from "../../engine/audit.ts";
import type { Engine } from "../../engine/engine.ts";
import type { WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { type AuditEntry, writeAudit } from "../../store/tables/audit-and-events.ts";
import type { AuditedSubject } from "../../sts/authorize-subject.ts";
import { tokenDigest, writeWithLastSeen } from "../../sts/exchange-audit.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import type { Bearer, Credentials } from "./credentials.ts";
import type { Granted } from "./registry-access.ts";
import type { Access } from "./token.ts";

/** What audit rows call it. */
const ACTION = "registry token";

/** Scopes told in one row, and letters of each: an audit is for people to read. */
const MOST_SCOPES = 20;
const LONGEST_SCOPE = 300;

/** A request for a token, as far as it was understood. */
export interface TokenRequest {
  readonly request: HttpRequest;
  readonly time: number;
  readonly service: string;
  readonly scopes: readonly string[];
  readonly credentials: Credentials;
  readonly seen: AuditedSubject;
}

/**
 * Leaves the audit row of a token that is given. Nobody who is given nothing leaves none: that is how
 * every client begins that has yet to find its credentials.
 *
 * @example await recordGrant(engine, asked, bearer, granted);
 */
export async function recordGrant(
  engine: Engine,
  asked: TokenRequest,
  { uid, identity }: Bearer,
  { access, place }: Granted,
): Promise<void> {
  if (asked.credentials.kind === "none" && access.length === 0) return;
  const granted = access.map(scopeText);
  const entry = entryOf(asked, { actor: uid, resource: place, code: 0, detail: { granted } });
  const work = (tx: Transaction) => writeAudit(tx, entry);
  // Anyone can ask for what is public.
  if (asked.credentials.kind === "none") {
    await engine.auditAggregator.record(entry, granted.join(" "));
  } else if (identity === undefined) await engine.store.write(work);
  else await writeWithLastSeen(engine, identity, asked.time, work);
}

/** Leaves the audit entry of credentials that were rejected, which anyone can bring. */
export async function recordRefusal(
  engine: Engine,
  asked: TokenRequest,
  { number: code, message }: WharfError,
): Promise<void> {
  const entry = entryOf(asked, { actor: "", resource: "", code, detail: { refused: message } });
  await engine.auditAggregator.record(entry, message);
}

/**
 * @example scopeText({ type: "repository", name: "acme/app", actions: ["pull"] }) // "repository:acme/app:pull"
 */
export function scopeText({ type, name, actions }: Access): string {
  return `${type}:${name}:${actions.join(",")}`;
}

interface Outcome {
  readonly actor: string;
  readonly resource: string;
  readonly code: number;
  readonly detail: object;
}

function entryOf(
  { request, time, service, scopes, credentials, seen }: TokenRequest,
  { detail, ...outcome }: Outcome,
): AuditEntry {
  const token = credentials.kind === "none" ? undefined : credentials.token;
  const told = {
    ...seen,
    service,
    asked: scopes.slice(0, MOST_SCOPES).map((scope) => scope.slice(0, LONGEST_SCOPE)),
    ...detail,
    // Never the token.
    ...(token && { tokenSha256: tokenDigest(token) }),
  };
  return {
    ...outcome,
    time,
    method: ACTION,
    requestId: request.requestId,
    remoteAddress: request.remoteAddress,
    userAgent: truncateUserAgent(request.headers["user-agent"] ?? ""),
    detail: JSON.stringify(told),
  };
}
