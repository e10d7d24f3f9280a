import { create } from "@bufbuild/protobuf";
import {
  type AdvisoryDocument,
  type AdvisoryDocumentResult,
  AdvisoryDocumentResultSchema,
} from "@wharf/contract";
import { documentProblems } from "./import-checks.ts";

/**
 * Advisories per transaction, about: enough to make lookup and commit cheap, and few enough that other writers
 * do not wait long for the lock. A document is never split.
 */
const BATCH_SIZE = 250;

/** The documents in batches of about BATCH_SIZE advisories and vulnerabilities. */
export function* batches(documents: readonly AdvisoryDocument[]): Generator<AdvisoryDocument[]> {
  let batch: AdvisoryDocument[] = [];
  let size = 0;
  for (const document of documents) {
    batch.push(document);
    size += 1 + document.advisories.length + document.vulnerabilities.length;
    if (size < BATCH_SIZE) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** The valid documents, and the results of the invalid ones. */
export function validate(
  documents: readonly AdvisoryDocument[],
  now: number,
): [AdvisoryDocument[], Map<AdvisoryDocument, AdvisoryDocumentResult>] {
  const rejected = new Map<AdvisoryDocument, AdvisoryDocumentResult>();
  for (const document of documents) {
    const refusals = documentProblems(document, now);
    if (refusals.length === 0) continue;
    const { name } = document;
    rejected.set(document, create(AdvisoryDocumentResultSchema, { name, refusals }));
  }
  return [documents.filter((document) => !rejected.has(document)), rejected];
}

/** The results of a batch in the order of its documents. */
export function inOrder(
  batch: readonly AdvisoryDocument[],
  rejected: ReadonlyMap<AdvisoryDocument, AdvisoryDocumentResult>,
  done: AdvisoryDocumentResult[],
): AdvisoryDocumentResult[] {
  return batch.map((one) => rejected.get(one) ?? (done.shift() as AdvisoryDocumentResult));
}
