import {
  type AuditEntry,
  AuditEntrySchema,
  AuditService,
  type WatchAuditEntriesRequest,
} from "@wharf/contract";
import type { Authenticator } from "../auth/authenticator.ts";
import type { AuditedDeps } from "../engine/audit/aggregator.ts";
import type { LogFollower } from "../engine/streams/log-follower.ts";
import { type StreamDeps, Streams } from "../engine/streams/streams.ts";
import { invalidArgument, PermissionDeniedError, WharfError } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { auditIds, type StoredAuditEntry } from "../store/tables/audit/entries.ts";
import { settledAuditId } from "../store/tables/audit/horizon.ts";
import { readAuditBetween } from "../store/tables/audit/search.ts";
import type { AuditTail } from "./audit-tail.ts";
import { isVisible, queryOf, visibleScopes } from "./filter.ts";
import { messageOf } from "./message.ts";
import { auditRead } from "./reads.ts";

/** Entries read at once. */
const BATCH_SIZE = 100;

export interface AuditWatchDeps extends StreamDeps, AuditedDeps {
  readonly authenticator: Authenticator;
  readonly tail: AuditTail;
  readonly follower: LogFollower<undefined>;
}

/** WatchAuditEntries: entries after a position, and then every entry as it is recorded. */
export function auditWatchMethod(deps: AuditWatchDeps) {
  const { authenticator, tail, follower } = deps;
  const streams = new Streams(deps, follower);
  const handler: Handler = async (call, message) => {
    const { filter, after } = message as WatchAuditEntriesRequest;
    const resource = filter?.resource ?? "";
    // Before the end of the log is read: the stream does not begin with its own entry.
    await auditRead(deps.audit, call, filter);
    let from = await startOf(deps, call.lastEventId || after);
    const currentGrants = async () => {
      const { grants } = await authenticator.caller(call.authorization, Date.now());
      if (visibleScopes(grants, resource)?.length !== 0) return grants;
      const text = "the right to read these entries was withdrawn";
      throw new PermissionDeniedError(text, resource);
    };
    await currentGrants();
    return streams.reply<StoredAuditEntry>(call, {
      resource,
      followed: undefined,
      async next() {
        const { settled = 0 } = tail;
        const reader = deps.store.readerFor(call);
        while (from < settled) {
          const query = queryOf(await currentGrants(), filter);
          const range = { after: from, below: settled + 1, limit: BATCH_SIZE };
          const { entries, reached } = await readAuditBetween(reader, query, range);
          from = reached;
          if (entries.length > 0) return entries;
        }
        return [];
      },
      async mustStillRead() {
        await currentGrants();
      },
      async message(entry) {
        if (!isVisible(await currentGrants(), entry.resource)) return undefined;
        const sent: AuditEntry = messageOf(entry);
        return { ...messageReply(AuditEntrySchema, sent), id: sent.uid };
      },
    });
  };
  return [AuditService.method.watchAuditEntries, handler] as const;
}

/** The uid of the entry after which a stream begins. */
async function startOf({ store: { reader } }: StreamDeps, after: string): Promise<number> {
  const { first, last } = await auditIds(reader);
  if (after === "") return (await settledAuditId(reader)) ?? last;
  if (!/^\d{1,15}$/.test(after)) {
    const description = `after must be the uid of an entry, not ${JSON.stringify(after)}`;
    throw invalidArgument({ field: "after", description });
  }
  const uid = Number(after);
  if (uid === 0 || (uid >= first - 1 && uid <= last)) return uid;
  const text = `there is no entry ${uid} to continue after: it has been deleted by retention, or is not in this log`;
  throw new WharfError("OUT_OF_RANGE", text);
}
