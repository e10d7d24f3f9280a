import { linesOf } from "@wharf/advisories/read";
import type { Wharf } from "@wharf/client";
import type { AdvisoryDocumentResult } from "@wharf/contract/messages";
import type { Batch, Readout } from "./batches.ts";
import type { Refusal, Tally } from "./tally.ts";

export interface Sending {
  readonly client: Wharf;
  /** For a document that is too large for the other. */
  readonly forLarge: () => Promise<Wharf>;
  /** The uid of the group. */
  readonly parent: string;
  readonly dryRun: boolean;
  readonly tally: Tally;
  /** Ends pauses between attempts; what is on its way is waited for. */
  readonly signal: AbortSignal;
}

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;

/** What may go better in a while. Imports can be repeated, so whether one was done does not matter. */
const PASSING = new Set(["UNAVAILABLE", "RESOURCE_EXHAUSTED", "ABORTED", "DEADLINE_EXCEEDED"]);

/** What a refused call tells. Told by shape, as everywhere in the command. */
interface Refused extends Error {
  readonly code: string;
  readonly retryAfterMs?: number;
}

/** Waiting does not make a request smaller, which the code does not tell. */
function isTooLarge(thrown: unknown): boolean {
  const { code, message } = thrown as Refused;
  return code === "RESOURCE_EXHAUSTED" && /larger than \d+ bytes/.test(message);
}

/**
 * Sends documents and counts what became of them. One that the server finds too large is refused
 * like any other that it does not take.
 */
export async function sendBatch(batch: Batch, sending: Sending): Promise<void> {
  try {
    await sendWith(sending.client, batch, sending);
  } catch (thrown) {
    if (!isTooLarge(thrown)) throw thrown;
    if (batch.length === 1) return sendLarge(batch, sending);
    const middle = batch.length >> 1;
    await sendBatch(batch.slice(0, middle), sending);
    await sendBatch(batch.slice(middle), sending);
  }
}

async function sendLarge(batch: Batch, sending: Sending): Promise<void> {
  try {
    await sendWith(await sending.forLarge(), batch, sending);
  } catch (thrown) {
    if (!isTooLarge(thrown)) throw thrown;
    const document = batch[0]?.document.name ?? "";
    const reason = `holds more than the server takes at once: ${(thrown as Error).message}`;
    sending.tally.refuse([{ document, field: "", reason }]);
  }
}

async function sendWith(client: Wharf, batch: Batch, sending: Sending): Promise<void> {
  const results = await attempt(client, batch, sending);
  for (const [at, result] of results.entries()) note(batch[at] as Readout, result, sending.tally);
}

async function attempt(
  client: Wharf,
  batch: Batch,
  { parent, dryRun, signal }: Sending,
): Promise<readonly AdvisoryDocumentResult[]> {
  const documents = batch.map(({ document }) => document);
  for (let made = 1; ; made++) {
    try {
      const request = { parent, documents, validateOnly: dryRun };
      return (await client.advisoryImports.importAdvisories(request)).results;
    } catch (thrown) {
      const { code, retryAfterMs } = thrown as Refused;
      if (!PASSING.has(code) || isTooLarge(thrown) || made === ATTEMPTS) throw thrown;
      if (!(await paused(retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (made - 1), signal))) throw thrown;
    }
  }
}

/** Whether the time went by without anyone's giving up. */
function paused(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener("abort", done);
  });
}

function note({ document, bytes }: Readout, result: AdvisoryDocumentResult, tally: Tally): void {
  const lines = linesOf(
    bytes,
    result.refusals.map(({ field }) => field),
  );
  const refusals = result.refusals.map(
    ({ field, description }, at): Refusal => ({
      document: document.name,
      line: lines[at],
      field,
      reason: description,
    }),
  );
  if (refusals.length === 0) tally.take(result);
  else tally.refuse(refusals);
}
