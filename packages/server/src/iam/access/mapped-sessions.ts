import type { Access } from "../../auth/access.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  listSessions,
  MAX_SESSIONS_PER_IDENTITY,
  type StoredSession,
} from "../../store/tables/login/sessions.ts";

/** Sessions of a person with group mappings, the newest of those with the same. */
export async function mappedSessions(
  access: Access,
  reader: Reader,
  identity: string,
  now: number,
): Promise<StoredSession[]> {
  const limit = MAX_SESSIONS_PER_IDENTITY;
  const all = await listSessions(reader, { identity }, undefined, limit, now);
  const distinct = new Map<string, StoredSession>();
  for (const session of all) {
    if (session.mappings === "[]" || distinct.has(session.mappings)) continue;
    if ((await access.session(session.id, reader)) !== undefined) {
      distinct.set(session.mappings, session);
    }
  }
  return [...distinct.values()];
}
