import type { Store } from "../../store/db/store.ts";
import {
  addPostings,
  addSegment,
  lastSegment,
  SEGMENT_SIZE,
} from "../../store/tables/audit/audit-index.ts";
import { auditIds, readAuditKeys } from "../../store/tables/audit/entries.ts";
import { addPosition, encodePositions, noPositions } from "./positions.ts";
import { postingsOf } from "./terms.ts";

/** Postings stored in one transaction: a millisecond or two. */
const POSTINGS_BATCH = 400;

/**
 * Indexes the next segment, if all its entries are settled: no transaction can add one any more. Returns whether it
 * did. Replicas that index the same segment write the same postings.
 */
export async function indexNextSegment(store: Store, settled: number): Promise<boolean> {
  const { reader } = store;
  const last = await lastSegment(reader);
  const { first } = await auditIds(reader);
  if (first === 0) return false;
  const segment = last === undefined ? Math.floor(first / SEGMENT_SIZE) : last + 1;
  const from = segment * SEGMENT_SIZE;
  if (settled < from + SEGMENT_SIZE) return false;
  const rows = await readAuditKeys(reader, from, from + SEGMENT_SIZE, SEGMENT_SIZE);
  const postings = postingsOf(rows);
  for (let at = 0; at < postings.length; at += POSTINGS_BATCH) {
    const batch = postings.slice(at, at + POSTINGS_BATCH);
    await store.write((tx) => addPostings(tx, segment, batch));
  }
  const present = noPositions();
  for (const [id] of rows) addPosition(present, id - from);
  const times = rows.map(([, time]) => time);
  const added = {
    segment,
    firstTime: rows.length === 0 ? 0 : Math.min(...times),
    lastTime: rows.length === 0 ? -1 : Math.max(...times),
    present: encodePositions(present),
  };
  await store.write((tx) => addSegment(tx, added));
  return true;
}
