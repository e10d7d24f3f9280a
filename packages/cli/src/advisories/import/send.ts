import { lineOf } from "@wharf/advisories/read";
import type { Wharf } from "@wharf/client";
import type { AdvisoryDocumentResult } from "@wharf/contract/messages";
import type { Batch, Readout } from "./batches.ts";
import type { Refusal, Tally } from "./tally.ts";

export interface Sending {
  readonly client: Wharf;
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

const TOO_LARGE = 413;

/** What a refused call tells. Told by shape, as everywhere in the command. */
interface Refused extends Error {
  readonly code: string;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
}

/**
 * Sends documents and counts what became of them. One that the server finds too large is refused
 * like any other that it does not take.
 *
 * @example await sendBatch(batch, { client, parent, dryRun: false, tally, signal });
 */
export async function sendBatch(batch: Batch, sending: Sending): Promise<void> {
  try {
    const results = await attempt(batch, sending);
    for (const [at, result] of results.entries()) note(batch[at] as Readout, result, sending.tally);
  } catch (thrown) {
    if ((thrown as Refused).httpStatus !== TOO_LARGE) throw thrown;
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      await sendBatch(batch.slice(0, middle), sending);
      return sendBatch(batch.slice(middle), sending);
    }
    const document = batch[0]?.document.name ?? "";
    const reason = `holds more than the server takes at once: ${(thrown as Error).message}`;
    sending.tally.refuse([{ document, field: "", reason }]);
  }
}

async function attempt(
  batch: Batch,
  { client, parent, dryRun, signal }: Sending,
): Promise<readonly AdvisoryDocumentResult[]> {
  const documents = batch.map(({ document }) => document);
  for (let made = 1; ; made++) {
    try {
      const request = { parent, documents, validateOnly: dryRun };
      return (await client.advisoryImports.importAdvisories(request)).results;
    } catch (thrown) {
      const { code, httpStatus, retryAfterMs } = thrown as Refused;
      if (!PASSING.has(code) || httpStatus === TOO_LARGE || made === ATTEMPTS) throw thrown;
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
  const refusals = result.refusals.map(
    ({ field, description }): Refusal => ({
      document: document.name,
      line: lineOf(bytes, field),
      field,
      reason: description,
    }),
  );
  if (refusals.length === 0) tally.take(result);
  else tally.refuse(refusals);
}
