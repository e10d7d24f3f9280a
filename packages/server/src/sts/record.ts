import { hash } from "node:crypto";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { audit } from "../engine/audit.ts";
import type { Engine } from "../engine/engine.ts";
import type { WharfError } from "../errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Seen } from "./entitlement.ts";
import type { KnownIdentity } from "./known-identities.ts";

/** Notes that the identity was seen, with the audit row, in one transaction. */
export async function recordUse(
  engine: Engine,
  call: Call,
  token: string,
  seen: Seen,
  identity: KnownIdentity,
): Promise<void> {
  await engine.store.write(async (tx) => {
    const row = await engine.identities.table.findForChange(tx, identity.uid);
    if (row !== undefined) {
      const stored = engine.identities.fromRow(row);
      stored.lastSeenTime = timestampFromMs(call.time);
      await engine.identities.table.update(tx, engine.identities.toRow(stored));
    }
    await audit(tx, call, {
      resource: identity.uid,
      actor: identity.uid,
      detail: about(token, seen),
    });
  });
}

/** Leaves the audit row of an exchange that was refused. */
export async function recordRefusal(
  engine: Engine,
  call: Call,
  token: string,
  seen: Seen,
  { number: code, message }: WharfError,
): Promise<void> {
  const detail = { ...about(token, seen), refused: message };
  await engine.store.write((tx) => audit(tx, call, { resource: seen.identity, code, detail }));
}

/** Leaves the audit row of a test. */
export async function recordTest(
  engine: Engine,
  call: Call,
  token: string,
  seen: Seen,
  allowed: boolean,
): Promise<void> {
  const detail = { ...about(token, seen), allowed };
  await engine.store.write((tx) => audit(tx, call, { resource: seen.identity, detail }));
}

/** What audit rows tell of a token: never the token. */
function about(token: string, seen: Seen): object {
  return { ...seen, tokenSha256: hash("sha256", token, "hex") };
}
