import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  addCounts,
  type FindingCount,
} from "../../store/tables/exposure/findings/finding-counts.ts";
import {
  deleteFindings,
  type FindingRow,
  putFindings,
} from "../../store/tables/exposure/findings/findings.ts";
import type { AssessedImage } from "../../store/tables/exposure/images/assessed-images.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";
import { type AssessedFinding, isOpen } from "./finding.ts";

/** Events about changes within this time are one. */
const EVENT_DELAY_MS = 5_000;

/** Findings of images before and after an assessment. */
export interface FindingsOfImages {
  readonly images: readonly AssessedImage[];
  readonly stored: readonly FindingRow[];
  /** By the ids of images. */
  readonly assessed: ReadonlyMap<number, readonly AssessedFinding[]>;
}

interface Change {
  readonly before: FindingRow | undefined;
  readonly after: FindingRow | undefined;
}

/** Writes the difference, with counts, and requests the events about images in use. */
export async function writeFindings(
  tx: Transaction,
  { images, stored, assessed }: FindingsOfImages,
  now: number,
): Promise<void> {
  const byImage = Map.groupBy(stored, ({ image }) => image);
  const changes = images.flatMap(({ id }) => {
    return differences(id, byImage.get(id) ?? [], assessed.get(id) ?? [], now);
  });
  await deleteFindings(
    tx,
    changes.flatMap(({ before, after }) => (before && after === undefined ? [before] : [])),
  );
  await putFindings(
    tx,
    changes.flatMap(({ after }) => after ?? []),
  );
  await addCounts(tx, countDifferences(changes));
  await requestEvents(tx, images, changes, now);
}

function differences(
  image: number,
  stored: readonly FindingRow[],
  assessed: readonly AssessedFinding[],
  now: number,
): Change[] {
  const before = new Map(stored.map((row) => [keyOf(row), row]));
  const merged = new Set<FindingRow>();
  const changes = assessed.flatMap((one): Change[] => {
    const row = before.get(keyOf(one));
    const former = formerRows(one, before);
    for (const other of former) merged.add(other);
    const seen = [row, ...former].flatMap((other) => other?.firstSeen ?? []);
    const firstSeen = Math.min(...seen, now);
    const after = { ...one, image, firstSeen, resolved: 0, detail: JSON.stringify(one.detail) };
    return row !== undefined && isSame(row, after) ? [] : [{ before: row, after }];
  });
  const current = new Set(assessed.map(keyOf));
  const gone = stored.filter((row) => !current.has(keyOf(row)));
  return [
    ...changes,
    ...gone.flatMap((row): Change[] => {
      if (merged.has(row)) return [{ before: row, after: undefined }];
      return row.resolved === 0 ? [{ before: row, after: { ...row, resolved: now } }] : [];
    }),
  ];
}

/** The rows of a vulnerability that is better known by another name now. */
function formerRows(
  { vulnerability, version, detail }: AssessedFinding,
  stored: ReadonlyMap<string, FindingRow>,
): FindingRow[] {
  const names = (detail.names ?? []).filter((name) => name !== vulnerability);
  return names.flatMap((name) => stored.get(keyOf({ vulnerability: name, version })) ?? []);
}

function isSame(one: FindingRow, other: FindingRow): boolean {
  return (
    one.status === other.status &&
    one.severity === other.severity &&
    one.fixable === other.fixable &&
    one.resolved === other.resolved &&
    one.detail === other.detail
  );
}

function countDifferences(changes: readonly Change[]): FindingCount[] {
  const counts = new Map<string, FindingCount>();
  const add = (row: FindingRow | undefined, sign: number) => {
    if (row === undefined || row.resolved !== 0) return;
    const { image, severity } = row;
    const open = isOpen(row);
    const none = { image, severity, open: 0, fixable: 0, suppressed: 0 };
    const count = counts.get(`${image} ${severity}`) ?? none;
    counts.set(`${image} ${severity}`, {
      ...count,
      open: count.open + (open ? sign : 0),
      fixable: count.fixable + (open && row.fixable ? sign : 0),
      suppressed: count.suppressed + (open ? 0 : sign),
    });
  };
  for (const { before, after } of changes) {
    add(before, -1);
    add(after, 1);
  }
  return [...counts.values()].filter((one) => one.open || one.fixable || one.suppressed);
}

/** A change from open to not open, or back, may be an event of the repo. */
async function requestEvents(
  tx: Transaction,
  images: readonly AssessedImage[],
  changes: readonly Change[],
  now: number,
): Promise<void> {
  const repos = new Map(images.map(({ id, repo }) => [id, repo]));
  const requests = changes.flatMap(({ before, after }) => {
    const row = (after ?? before) as FindingRow;
    const repo = repos.get(row.image);
    const wasOpen = before !== undefined && isOpen(before);
    const changed = wasOpen !== (after !== undefined && isOpen(after));
    return changed && repo !== undefined ? [eventWork(repo, row.vulnerability, now)] : [];
  });
  await requestWork(tx, requests);
}

/** The request of the event about a vulnerability in the images in use of a repo, if there is to be one. */
export function eventWork(repo: string, vulnerability: string, now: number) {
  return { kind: "notify", key: `${repo} ${vulnerability}`, due: now + EVENT_DELAY_MS } as const;
}

function keyOf({ vulnerability, version }: Pick<FindingRow, "vulnerability" | "version">): string {
  return `${version} ${vulnerability}`;
}
