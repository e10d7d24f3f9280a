import { type Format, readDocument, Unreadable } from "@wharf/advisories/read";
import type { Item, Source } from "@wharf/advisories/source";
import type { AdvisoryDocument } from "@wharf/contract/messages";
import type { Tally } from "./tally.ts";

/** A document that was read, and what it was read from. */
export interface Readout {
  readonly document: AdvisoryDocument;
  readonly bytes: Uint8Array;
}

export type Batch = readonly Readout[];

/** The server commits about this many advisories at once, so more would not be quicker. */
const ADVISORIES = 250;

/** What the server takes is four times as much, and JSON is larger than some formats. */
const BYTES = 1024 * 1024;

/** As many as one request may have. */
const DOCUMENTS = 1_000;

export interface BatchOptions {
  readonly format: Format | undefined;
  readonly metadataOnly: boolean;
  readonly tally: Tally;
}

/**
 * Reads sources, and puts documents together that can be sent together. What cannot be read is told
 * to the tally at once.
 */
export async function* batchesOf(
  sources: readonly Source[],
  options: BatchOptions,
): AsyncGenerator<Batch> {
  let batch: Readout[] = [];
  let advisories = 0;
  let bytes = 0;
  for (const source of sources) {
    for await (const item of source.items()) {
      const readout = readItem(item, options);
      if (readout === undefined) continue;
      const more = readout.document.advisories.length;
      const isFull =
        advisories + more > ADVISORIES ||
        bytes + readout.bytes.length > BYTES ||
        batch.length === DOCUMENTS;
      if (batch.length > 0 && isFull) {
        yield batch;
        batch = [];
        advisories = 0;
        bytes = 0;
      }
      batch.push(readout);
      advisories += more;
      bytes += readout.bytes.length;
    }
  }
  if (batch.length > 0) yield batch;
}

function readItem(item: Item, { tally, format, metadataOnly }: BatchOptions): Readout | undefined {
  const { name } = item;
  if (item.kind === "skipped") {
    tally.skipped++;
    return undefined;
  }
  try {
    if (item.kind === "refused") throw item.why;
    const document = readDocument(item.bytes, { name, format, metadataOnly });
    return { document, bytes: item.bytes };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    tally.refuse(
      error.problems.map(({ line, path, reason }) => ({
        document: name,
        line,
        field: path,
        reason,
      })),
    );
    return undefined;
  }
}
