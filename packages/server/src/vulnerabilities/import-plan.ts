import { create } from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryDocument,
  type AdvisoryDocumentResult,
  AdvisoryDocumentResultSchema,
} from "@wharf/contract";
import { documentProblems } from "./import-checks.ts";
import { merged } from "./merge.ts";

/** What taking in documents comes to. */
export interface ImportPlan {
  /** One for each document, in their order. */
  readonly results: readonly AdvisoryDocumentResult[];
  /** New advisories. */
  readonly added: readonly Advisory[];
  /** Advisories that are there, as they are to be. */
  readonly changed: readonly Advisory[];
  /** The documents that are taken. */
  readonly taken: readonly AdvisoryDocument[];
}

/**
 * Works out what documents change. A document with anything wrong in it is left out as a whole; the
 * others follow one another, so that a later one finds what an earlier one brings.
 *
 * @example const plan = planImport(documents, known, call.caller.uid, call.time);
 */
export function planImport(
  documents: readonly AdvisoryDocument[],
  stored: ReadonlyMap<string, Advisory>,
  actor: string,
  now: number,
): ImportPlan {
  const pending = new Map<string, Advisory>();
  const taken: AdvisoryDocument[] = [];
  const results = documents.map((document) => {
    const refusals = documentProblems(document, now);
    const result = create(AdvisoryDocumentResultSchema, { name: document.name, refusals });
    if (refusals.length > 0) return result;
    taken.push(document);
    for (const given of document.advisories) {
      const before = pending.get(given.advisoryId) ?? stored.get(given.advisoryId);
      const after = merged(before, given, actor);
      if (after === before) result.unchanged++;
      else {
        pending.set(given.advisoryId, after);
        result[before === undefined ? "created" : "changed"]++;
      }
    }
    return result;
  });
  const all = [...pending.values()];
  const added = all.filter(({ uid }) => uid === "");
  return { results, added, changed: all.filter(({ uid }) => uid !== ""), taken };
}
