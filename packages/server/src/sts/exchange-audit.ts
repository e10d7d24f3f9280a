import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { audit, auditEntry } from "../engine/audit.ts";
import type { Engine } from "../engine/engine.ts";
import type { WharfError } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import type { AuditedSubject } from "./authorize-subject.ts";
import type { CachedIdentity } from "./identity-cache.ts";
import { tokenDigest } from "./token-digest.ts";

/** How exact `lastSeenTime` is: the audit has every exchange, and a row that changes with each is slow. */
const SEEN_EVERY_MS = 60_000;

/** Notes that the identity was seen, with the audit row, in one transaction. */
export async function auditExchange(
  engine: Engine,
  call: Call,
  token: string,
  seen: AuditedSubject,
  identity: CachedIdentity,
): Promise<void> {
  const { uid } = identity;
  const detail = about(token, seen);
  await writeWithLastSeen(engine, identity, call.time, (tx) =>
    audit(tx, call, { resource: uid, actor: uid, detail }),
  );
}

/**
 * Does the work that goes with a use of an identity, and notes in the same transaction that it was
 * seen, where that is news.
 */
export async function writeWithLastSeen(
  engine: Engine,
  identity: CachedIdentity,
  time: number,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const isNews = time - identity.lastSeen >= SEEN_EVERY_MS;
  await engine.store.write(async (tx) => {
    if (isNews) await noteSeen(engine, tx, identity.uid, time);
    await work(tx);
  });
  if (isNews) identity.lastSeen = time;
}

async function noteSeen(engine: Engine, tx: Transaction, uid: string, time: number): Promise<void> {
  const { identities } = engine;
  const row = await identities.table.findForChange(tx, uid);
  if (row === undefined) return;
  const stored = identities.fromRow(row);
  stored.lastSeenTime = timestampFromMs(time);
  await identities.table.update(tx, identities.toRow(stored));
}

/** Leaves the audit entry of an exchange that was rejected, which anyone can cause. */
export async function auditDenial(
  engine: Engine,
  call: Call,
  token: string,
  seen: AuditedSubject,
  { number: code, message }: WharfError,
): Promise<void> {
  const detail = { ...about(token, seen), refused: message };
  const entry = auditEntry(call, { resource: seen.identity, code, detail });
  await engine.auditAggregator.record(entry, message);
}

/** Leaves the audit row of a test. */
export async function auditTest(
  engine: Engine,
  call: Call,
  token: string,
  seen: AuditedSubject,
  allowed: boolean,
): Promise<void> {
  const detail = { ...about(token, seen), allowed };
  await engine.store.write((tx) => audit(tx, call, { resource: seen.identity, detail }));
}

/** What audit rows tell of a token: never the token, and of its claims no more than people read. */
function about(token: string, seen: AuditedSubject): object {
  const told = Object.entries(seen).map(([name, text]) => [
    name,
    String(text).slice(0, LONGEST_TOLD),
  ]);
  return { ...Object.fromEntries(told), tokenSha256: tokenDigest(token) };
}

/** Rows are left by whoever has no right at all, too: they must not be a way to fill the disk. */
const LONGEST_TOLD = 512;
