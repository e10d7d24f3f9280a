import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import {
  type WatchAuditEntriesRequest,
  type WatchAuditEntriesResponse,
  WatchAuditEntriesResponseSchema,
} from "@wharf/contract";
import type { Caller } from "../auth/caller.ts";
import type { Engine } from "../engine/engine.ts";
import { invalidArgument } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import { auditIds } from "../store/tables/audit-entries.ts";
import { settledAuditId } from "../store/tables/audit-horizon.ts";
import { filterKey } from "./filter-key.ts";
import type { AuditLog } from "./log.ts";
import { messageOf } from "./message.ts";
import { auditRead } from "./reads.ts";

/** How long a request waits for entries, and how often it looks for them. */
const WAIT_MS = 20_000;
const POLL_MS = 500;

/** Entries of one response. */
const ENTRIES = 200;

/** The entries that were recorded after a cursor; waits for the first of them. */
export async function watchEntries(
  { engine, log }: { readonly engine: Engine; readonly log: AuditLog },
  call: Call,
  { filter, cursor }: WatchAuditEntriesRequest,
): Promise<WatchAuditEntriesResponse> {
  const { reader } = engine.store;
  const query = JSON.stringify(["audit watch", filterKey(filter)]);
  const seal = (id: number) => {
    return engine.pageTokens.seal(query, { position: { key: "", id }, skipped: 0 }, call.time);
  };
  const begin = readWatchCursor(engine, query, cursor, call.time);
  if (begin === undefined) {
    await auditRead(engine, call, filter);
    const { last } = await auditIds(reader);
    const settled = (await settledAuditId(reader)) ?? last;
    return create(WatchAuditEntriesResponseSchema, { cursor: seal(settled) });
  }
  let after: number = begin;
  let checked: CheckedGrants = call.caller;
  for (const end = Date.now() + WAIT_MS; ; ) {
    // Only settled entries: a later one must not hide an earlier one that is not committed yet.
    const settled: number = (await settledAuditId(reader)) ?? after;
    const grants = await currentGrants(engine, call, checked);
    if (grants === undefined) break;
    checked = grants;
    if (settled > after) {
      const page = { descending: false, after, below: settled + 1, skip: 0, limit: ENTRIES };
      const task = engine.lists.task(call.caller.uid, call);
      const { entries } = await log.page(grants.grants, filter, page, task);
      after = entries.length < ENTRIES ? settled : (entries.at(-1)?.id ?? settled);
      if (entries.length > 0) {
        const messages = entries.map(messageOf);
        return create(WatchAuditEntriesResponseSchema, { entries: messages, cursor: seal(after) });
      }
    }
    if (Date.now() >= end || call.abandoned !== undefined) break;
    await sleep(POLL_MS, undefined, { ref: false });
  }
  return create(WatchAuditEntriesResponseSchema, { cursor: seal(after) });
}

type CheckedGrants = Pick<Caller, "grants" | "version">;

/** The grants of the caller, checked again if access has changed; undefined if the caller has lost all of them. */
async function currentGrants(
  { store, access }: Engine,
  { caller: { uid, session, boundary } }: Call,
  checked: CheckedGrants,
): Promise<CheckedGrants | undefined> {
  if (checked.version === undefined) return checked;
  const version = await store.accessVersion();
  if (version === checked.version) return checked;
  const granted = await access.grantsOf(uid, undefined, session);
  if (granted === undefined) return undefined;
  return { version, grants: boundary === undefined ? granted : granted.intersect(boundary) };
}

function readWatchCursor(
  engine: Engine,
  query: string,
  cursor: string,
  now: number,
): number | undefined {
  if (cursor === "") return undefined;
  const opened = engine.pageTokens.open(query, cursor, now);
  if (opened === "expired" || opened === "foreign") {
    const description = `cursor ${opened === "expired" ? "has expired" : "does not belong to this query"}`;
    throw invalidArgument({ field: "cursor", description });
  }
  return opened.cursor.position.id;
}
