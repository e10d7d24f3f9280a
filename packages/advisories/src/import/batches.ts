import type { AdvisoryDocument } from "@wharf/contract/messages";
import { DocumentError, type Problem, UnknownFormatError } from "../read/document-error.ts";
import { type Format, readDocument } from "../read/read.ts";
import type { Item } from "../source/item.ts";
import type { Tally } from "./tally.ts";

/** A parsed document with its bytes, which line numbers are computed from. */
export interface ParsedDocument {
  readonly document: AdvisoryDocument;
  readonly bytes: Uint8Array;
}

export type Batch = readonly ParsedDocument[];

/** About the number of advisories that the server commits at once; more is not faster. */
const MAX_ADVISORIES = 250;

/** A quarter of the server's limit, since JSON is larger than some formats. */
const MAX_BYTES = 1024 * 1024;

/** The server's limit per request. */
const MAX_DOCUMENTS = 1_000;

export interface BatchOptions {
  readonly format: Format | undefined;
  readonly metadataOnly: boolean;
  readonly tally: Tally;
  /** Selects files by name; all by default. */
  readonly isIncluded?: (name: string) => boolean;
}

/**
 * Reads sources and groups documents into batches. Adds unreadable documents to the tally.
 *
 * @example for await (const batch of batchesOf([source], { format: undefined, metadataOnly: false, tally })) send(batch);
 */
export async function* batchesOf(
  sources: readonly { items(): AsyncIterable<Item> }[],
  options: BatchOptions,
): AsyncGenerator<Batch> {
  let batch: ParsedDocument[] = [];
  let advisories = 0;
  let bytes = 0;
  for (const source of sources) {
    for await (const item of source.items()) {
      const parsed = parseItem(item, options);
      if (parsed === undefined) continue;
      const more = parsed.document.advisories.length;
      const isFull =
        advisories + more > MAX_ADVISORIES ||
        bytes + parsed.bytes.length > MAX_BYTES ||
        batch.length === MAX_DOCUMENTS;
      if (batch.length > 0 && isFull) {
        yield batch;
        batch = [];
        advisories = 0;
        bytes = 0;
      }
      batch.push(parsed);
      advisories += more;
      bytes += parsed.bytes.length;
    }
  }
  if (batch.length > 0) yield batch;
}

function parseItem(
  item: Item,
  { tally, format, metadataOnly, isIncluded }: BatchOptions,
): ParsedDocument | undefined {
  const { name } = item;
  if (item.kind === "skipped" || isIncluded?.(name) === false) {
    tally.skipped++;
    return undefined;
  }
  try {
    if (item.kind === "rejected") throw item.error;
    const onWarning = ({ line, path, reason }: Problem) => {
      tally.addWarning({ document: name, line, field: path, reason });
    };
    const { time } = item;
    const document = readDocument(item.bytes, { name, format, metadataOnly, onWarning, time });
    return { document, bytes: item.bytes };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const isEntry = item.kind === "document" && item.isEntry === true;
    if (error instanceof UnknownFormatError && isEntry) {
      tally.skipped++;
      tally.addWarning({ document: name, field: "", reason: "is not an advisory; skipped" });
      return undefined;
    }
    tally.addRejected(
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
