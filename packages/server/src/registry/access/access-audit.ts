import type { AuditAggregators, AuditedDeps } from "../../engine/audit/aggregator.ts";
import { truncateUserAgent } from "../../engine/audit/audit.ts";
import type { ResourceStore } from "../../engine/catalog.ts";
import type { WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { type AuditEntry, writeAudit } from "../../store/tables/audit/audit-and-events.ts";
import type { AuditedSubject } from "../../sts/authorize-subject.ts";
import { tokenDigest, writeWithLastSeen } from "../../sts/exchange-audit.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import type { Credentials, Principal } from "./credentials.ts";
import { textOf } from "./denials.ts";
import type { RegistryAccess } from "./registry-access.ts";
import type { ResourceActions } from "./token.ts";

/** The method in audit rows. */
const METHOD = "registry token";

/** Bounds of what one audit row holds. */
const MAX_SCOPES = 20;
const MAX_SCOPE_LENGTH = 300;

/** A request for a token, once it has been parsed. */
export interface TokenRequest {
  readonly request: HttpRequest;
  readonly time: number;
  readonly service: string;
  readonly scopes: readonly string[];
  readonly credentials: Credentials;
  readonly seen: AuditedSubject;
}

/**
 * Audits an issued token, or the error for valid credentials without access. An anonymous request that was granted nothing is not audited: every client
 * begins with one.
 */
export async function auditGrant(
  deps: AuditedDeps & ResourceStore,
  tokenRequest: TokenRequest,
  { uid, identity }: Principal,
  { access, denials, resource }: RegistryAccess,
  error?: WharfError,
): Promise<void> {
  const { credentials } = tokenRequest;
  if (credentials.kind === "none" && access.length === 0) return;
  const granted = access.map(scopeText);
  const detail = { granted, ...(denials.length > 0 && { denied: textOf(denials) }) };
  const entry = entryOf(tokenRequest, { actor: uid, resource, code: error?.number ?? 0, detail });
  const work = async (tx: Transaction) => writeAudit(tx, entry);
  // Anonymous requests are aggregated: anyone can send any number of them.
  if (credentials.kind === "none") {
    await deps.audit.anonymous.record(entry, granted.join(" "));
  } else if (identity === undefined) await deps.store.write(work);
  else await writeWithLastSeen(deps, identity, tokenRequest, work);
}

/** Audits rejected credentials, aggregated: anyone can send any number of them. */
export async function auditRejection(
  { anonymous }: AuditAggregators,
  tokenRequest: TokenRequest,
  { number: code, message }: WharfError,
): Promise<void> {
  const outcome = { actor: "", resource: "", code, detail: { refused: message } };
  await anonymous.record(entryOf(tokenRequest, outcome), message);
}

/** The text of a scope, such as `repository:acme/app:pull`. */
export function scopeText({ type, name, actions }: ResourceActions): string {
  return `${type}:${name}:${actions.join(",")}`;
}

interface TokenDecision {
  readonly actor: string;
  readonly resource: string;
  readonly code: number;
  readonly detail: object;
}

function entryOf(
  { request, time, service, scopes, credentials, seen }: TokenRequest,
  { detail, ...outcome }: TokenDecision,
): AuditEntry {
  const token = credentials.kind === "none" ? undefined : credentials.token;
  const { isVerified: _notShown, ...subject } = seen;
  const fullDetail = {
    ...subject,
    service,
    asked: scopes.slice(0, MAX_SCOPES).map((scope) => scope.slice(0, MAX_SCOPE_LENGTH)),
    ...detail,
    // Only the digest: tokens are never stored.
    ...(token && { tokenSha256: tokenDigest(token) }),
  };
  return {
    ...outcome,
    time,
    method: METHOD,
    requestId: request.requestId,
    remoteAddress: request.remoteAddress,
    userAgent: truncateUserAgent(request.headers["user-agent"] ?? ""),
    detail: JSON.stringify(fullDetail),
    via: "registry",
  };
}
