import { hash } from "node:crypto";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AuditAggregators } from "../engine/audit/aggregator.ts";
import { audit, auditEntry } from "../engine/audit/audit.ts";
import type { Catalog, ResourceStore } from "../engine/catalog.ts";
import type { WharfError } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Abandonable, Store } from "../store/db/store.ts";
import type { AuditedSubject } from "./authorize-subject.ts";
import type { CachedIdentity } from "./identity-cache.ts";
import { parseSignedRequest } from "./verify/aws-request.ts";

/** Resolution of `lastSeenTime`: the audit log has every exchange, and updating a row each time is slow. */
const LAST_SEEN_RESOLUTION_MS = 60_000;

/** Limits claims in audit rows: callers without any rights cause rows, and must not fill the disk. */
const MAX_AUDITED_CHARACTERS = 512;

/** Audits a successful exchange and updates when the identity was last seen, in one transaction. */
export async function auditExchange(
  deps: ResourceStore,
  call: Call,
  token: string,
  audited: AuditedSubject,
  identity: CachedIdentity,
): Promise<void> {
  const { uid, name } = identity;
  const detail = detailOf(token, audited);
  await writeWithLastSeen(deps, identity, call, (tx) =>
    audit(tx, call, { resource: uid, actor: uid, actorName: name, detail }),
  );
}

/** Runs work that uses an identity. Updates `lastSeenTime` in the same transaction if it is outdated. */
export async function writeWithLastSeen(
  deps: ResourceStore,
  identity: CachedIdentity,
  request: Abandonable & { readonly time: number },
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const { time } = request;
  const isOutdated = time - identity.lastSeen >= LAST_SEEN_RESOLUTION_MS;
  await deps.store.writeFor(request, async (tx) => {
    if (isOutdated) await storeLastSeen(deps.catalog, tx, identity.uid, time);
    await work(tx);
  });
  if (isOutdated) identity.lastSeen = time;
}

/** Updates `lastSeenTime` of an identity that only reads, if it is outdated. */
export async function updateLastSeen(
  deps: ResourceStore,
  identity: CachedIdentity,
  time: number,
): Promise<void> {
  if (time - identity.lastSeen < LAST_SEEN_RESOLUTION_MS) return;
  await deps.store.write((tx) => storeLastSeen(deps.catalog, tx, identity.uid, time));
  identity.lastSeen = time;
}

async function storeLastSeen(
  catalog: Catalog,
  tx: Transaction,
  uid: string,
  time: number,
): Promise<void> {
  const { identities } = catalog;
  const row = await identities.table.findForChange(tx, uid);
  if (row === undefined) return;
  const stored = identities.fromRow(row);
  stored.lastSeenTime = timestampFromMs(time);
  await identities.table.update(tx, identities.toRow(stored));
}

/** Audits a denied exchange. Anyone can cause these, so they are aggregated. */
export async function auditDenial(
  { anonymous }: AuditAggregators,
  call: Call,
  token: string,
  audited: AuditedSubject,
  { number: code, message }: WharfError,
): Promise<void> {
  const detail = { ...detailOf(token, audited), refused: message };
  const entry = auditEntry(call, { resource: audited.identity, code, detail });
  await anonymous.record(entry, message, audited.isVerified);
}

/** Audits a test of an identity. */
export async function auditTest(
  store: Store,
  call: Call,
  token: string,
  audited: AuditedSubject,
  allowed: boolean,
): Promise<void> {
  const detail = { ...detailOf(token, audited), allowed };
  await store.writeFor(call, (tx) => audit(tx, call, { resource: audited.identity, detail }));
}

/** Audit rows have the digest of a token, never the token itself, and shortened claims. */
function detailOf(token: string, { isVerified: _notShown, ...audited }: AuditedSubject): object {
  const claims = Object.entries(audited).map(([name, text]) => [
    name,
    String(text).slice(0, MAX_AUDITED_CHARACTERS),
  ]);
  return { ...Object.fromEntries(claims), tokenSha256: tokenDigest(token) };
}

/**
 * The name of a token in the audit log: a SHA-256 in hex that is the same for all spellings of the token.
 *
 * - JWT: of header and payload, which are signed. Anyone who has the token can rewrite the signature
 *   (with ECDSA, `s` and `n − s` are both valid), but not the content.
 * - Signed AWS request: of its signature, which covers everything that is checked. The order and the
 *   spelling of headers are not signed.
 * - Anything else: of the text.
 */
export function tokenDigest(token: string): string {
  return hash("sha256", identifyingText(token), "hex");
}

function identifyingText(token: string): string {
  const segments = token.split(".", 4);
  if (segments.length === 3) return `${segments[0]}.${segments[1]}`;
  if (segments.length > 1) return token;
  try {
    return parseSignedRequest(token).authorization.signature;
  } catch {
    return token;
  }
}
