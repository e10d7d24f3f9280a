import {
  assessmentsOf,
  type CsafEntry,
  csafChanges,
  csafDocument,
  csafIndexLine,
  csafPath,
  packageOf,
  timesOf,
} from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";
import type { ArchivedFile } from "./archive.ts";
import type { FeedSource } from "./files.ts";
import type { FeedReader } from "./reader.ts";

/** Whether an advisory has documents: it is approved and not deleted. */
export function isPublished(advisory: Advisory): boolean {
  return advisory.deleteTime === undefined && assessmentsOf(advisory).length > 0;
}

/** The index entry of a package's document; undefined if it has none. */
export function csafEntry(advisories: readonly Advisory[]): CsafEntry | undefined {
  const one = advisories.find(isPublished);
  if (one === undefined) return undefined;
  const known = advisories.filter((advisory) => assessmentsOf(advisory).length > 0);
  return { key: packageOf(one), times: timesOf(known) };
}

export async function* csafEntries(reader: FeedReader): AsyncGenerator<CsafEntry> {
  for await (const advisories of reader.byPackage()) {
    const entry = csafEntry(advisories);
    if (entry !== undefined) yield entry;
  }
}

export async function* csafIndex(reader: FeedReader): AsyncGenerator<string> {
  for await (const entry of csafEntries(reader)) yield csafIndexLine(entry);
}

/** Buffered, since it is ordered by time: a hundred bytes for each package. Lazy, so that HEAD reads nothing. */
export async function* csafChangesOf(reader: FeedReader): AsyncGenerator<string> {
  const entries: CsafEntry[] = [];
  for await (const entry of csafEntries(reader)) entries.push(entry);
  yield csafChanges(entries);
}

export async function* csafFiles({
  reader,
  publication,
}: FeedSource): AsyncGenerator<ArchivedFile> {
  for await (const advisories of reader.byPackage()) {
    const entry = csafEntry(advisories);
    const document = csafDocument(advisories, publication);
    if (entry === undefined || document === undefined) continue;
    const { key, times } = entry;
    const path = csafPath(key, times.first);
    yield { path, text: JSON.stringify(document), time: times.last };
  }
}
