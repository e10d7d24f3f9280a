import { randomUUID } from "node:crypto";
import type { Batch, ParsedDocument, Tally } from "@wharf/advisories/import";
import type { Wharf } from "@wharf/client";
import type { AdvisoryDocumentResult } from "@wharf/contract/messages";

export interface SendOptions {
  readonly client: Wharf;
  /** A client for documents that are too large for JSON. */
  readonly largeClient: () => Promise<Wharf>;
  /** The UID of the group. */
  readonly parent: string;
  readonly dryRun: boolean;
  readonly tally: Tally;
  /** Cancels pauses between attempts; requests in flight are waited for. */
  readonly signal: AbortSignal;
}

const MAX_ATTEMPTS = 6;
const FIRST_BACKOFF_MS = 500;

/** Worth a retry, which is safe since imports are idempotent. */
const TRANSIENT = new Set(["UNAVAILABLE", "RESOURCE_EXHAUSTED", "ABORTED", "DEADLINE_EXCEEDED"]);

/** A WharfError, recognized by its shape so that the client need not be loaded. */
interface CallError extends Error {
  readonly code: string;
  readonly retryAfterMs?: number;
}

/** The code alone does not distinguish a request that is too large from a rate limit. */
function isTooLarge(thrown: unknown): boolean {
  const { code, message } = thrown as CallError;
  return code === "RESOURCE_EXHAUSTED" && /larger than \d+ bytes/.test(message);
}

/** Sends a batch and tallies the results. Splits batches that are too large for the server. */
export async function sendBatch(batch: Batch, options: SendOptions): Promise<void> {
  try {
    await sendWith(options.client, batch, options);
  } catch (thrown) {
    if (!isTooLarge(thrown)) throw thrown;
    if (batch.length === 1) return sendLarge(batch, options);
    const middle = batch.length >> 1;
    await sendBatch(batch.slice(0, middle), options);
    await sendBatch(batch.slice(middle), options);
  }
}

async function sendLarge(batch: Batch, options: SendOptions): Promise<void> {
  try {
    await sendWith(await options.largeClient(), batch, options);
  } catch (thrown) {
    if (!isTooLarge(thrown)) throw thrown;
    const document = batch[0]?.document.name ?? "";
    const reason = `exceeds the size limit of the server: ${(thrown as Error).message}`;
    options.tally.addRejected([{ document, field: "", reason }]);
  }
}

async function sendWith(client: Wharf, batch: Batch, options: SendOptions): Promise<void> {
  const results = await sendWithRetries(client, batch, options);
  for (const [index, result] of results.entries()) {
    options.tally.add(batch[index] as ParsedDocument, result);
  }
}

async function sendWithRetries(
  client: Wharf,
  batch: Batch,
  { parent, dryRun, signal }: SendOptions,
): Promise<readonly AdvisoryDocumentResult[]> {
  const documents = batch.map(({ document }) => document);
  // One key for all attempts: if a reply was lost, the next attempt gets it.
  const idempotencyKey = randomUUID();
  for (let attempt = 1; ; attempt++) {
    try {
      const request = { parent, documents, validateOnly: dryRun };
      return (await client.advisoryImports.importAdvisories(request, { idempotencyKey })).results;
    } catch (thrown) {
      const { code, retryAfterMs } = thrown as CallError;
      const isFinal = !TRANSIENT.has(code) || isTooLarge(thrown) || attempt === MAX_ATTEMPTS;
      if (isFinal) throw thrown;
      await pause(retryAfterMs ?? FIRST_BACKOFF_MS * 2 ** (attempt - 1), signal);
      if (signal.aborted) throw thrown;
    }
  }
}

/** Resolves after a time, or at once when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener("abort", done);
  });
}
