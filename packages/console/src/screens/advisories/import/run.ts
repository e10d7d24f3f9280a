import { fromJson, toJson } from "@bufbuild/protobuf";
import {
  type Batch,
  batchesOf,
  type Format,
  type ParsedDocument,
  selection,
  Tally,
} from "@wharf/advisories/import";
import { WharfError } from "@wharf/client/json";
import { AdvisoryDocumentSchema, ImportAdvisoriesResponseSchema } from "@wharf/contract/messages";
import { api, client } from "../../../api/client.ts";
import { importTexts } from "../../../texts/advisories.ts";
import type { NamedFile } from "./items.ts";
import { itemsOf } from "./items.ts";

export interface ImportOptions {
  /** The uid of the group. */
  readonly parent: string;
  readonly format: string;
  readonly metadataOnly: boolean;
  /** Patterns of the files that are read, as the options of the command. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** After each batch and each file. */
  readonly onProgress: (tally: Tally, filesRead: number) => void;
}

/** Reads files and sends their documents in batches, as the command does. */
export async function importFiles(
  files: readonly NamedFile[],
  options: ImportOptions,
): Promise<Tally> {
  const { signal, onProgress, metadataOnly, include, exclude } = options;
  const tally = new Tally();
  let read = 0;
  const format = options.format === "" ? undefined : (options.format as Format);
  const source = {
    items: () =>
      itemsOf(files, () => {
        read++;
        onProgress(tally, read);
      }),
  };
  const isIncluded = selection(include, exclude);
  for await (const batch of batchesOf([source], { format, metadataOnly, tally, isIncluded })) {
    if (signal.aborted) break;
    await send(batch, options, tally);
    onProgress(tally, read);
  }
  return tally;
}

/** Sends a batch; in halves, if it is too large for the server. */
async function send(batch: Batch, options: ImportOptions, tally: Tally): Promise<void> {
  try {
    const { results } = await sendWithRetries(batch, options);
    for (const [at, result] of results.entries()) tally.add(batch[at] as ParsedDocument, result);
  } catch (thrown) {
    if (!isTooLarge(thrown)) throw thrown;
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      const reason = importTexts.tooLarge;
      return tally.addRejected([{ document: only.document.name, field: "", reason }]);
    }
    const middle = batch.length >> 1;
    await send(batch.slice(0, middle), options, tally);
    await send(batch.slice(middle), options, tally);
  }
}

const MAX_ATTEMPTS = 6;
const FIRST_BACKOFF_MS = 500;

/** Worth another attempt, which is safe since imports are idempotent. */
const TRANSIENT = new Set(["UNAVAILABLE", "RESOURCE_EXHAUSTED", "ABORTED", "DEADLINE_EXCEEDED"]);

async function sendWithRetries(batch: Batch, { parent, dryRun, signal }: ImportOptions) {
  const request = {
    parent,
    documents: batch.map(({ document }) => toJson(AdvisoryDocumentSchema, document)),
    validateOnly: dryRun,
  };
  // Of all attempts: if a reply was lost, the next attempt gets it.
  const headers = { "idempotency-key": randomKey() };
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await client.call(api.advisoryImports.importAdvisories, request, {
        headers,
      });
      return fromJson(ImportAdvisoriesResponseSchema, response);
    } catch (thrown) {
      const isTransient = thrown instanceof WharfError && TRANSIENT.has(thrown.code);
      const isFinal = !isTransient || isTooLarge(thrown) || attempt === MAX_ATTEMPTS;
      if (isFinal || signal.aborted) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, FIRST_BACKOFF_MS * 2 ** (attempt - 1)));
    }
  }
}

/** The code alone does not distinguish a request that is too large from a rate limit. */
function isTooLarge(thrown: unknown): boolean {
  return (
    thrown instanceof WharfError &&
    thrown.code === "RESOURCE_EXHAUSTED" &&
    /larger than \d+ bytes/.test(thrown.message)
  );
}

/** Also where the page has no secure context, in which browsers make no UUIDs. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
