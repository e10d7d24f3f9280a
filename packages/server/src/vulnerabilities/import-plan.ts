import { create } from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryDocument,
  type AdvisoryDocumentResult,
  AdvisoryDocumentResultSchema,
  type Vulnerability,
} from "@wharf/contract";
import type { StoredVulnerability } from "../store/vulnerabilities.ts";
import { merged } from "./merge.ts";
import { vulnerabilityRow } from "./severities.ts";

/** What there is of what documents are about, by id. */
export interface Known {
  readonly advisories: Map<string, Advisory>;
  readonly vulnerabilities: Map<string, StoredVulnerability>;
}

/** On whose behalf documents are taken in, and where. */
export interface Occasion {
  readonly group: string;
  /** Who is the author of what names none. */
  readonly actor: string;
}

/**
 * What taking in documents comes to. They follow one another: a later one finds what an earlier one
 * brings.
 *
 * @example
 * const plan = new ImportPlan(known, { group, actor: call.caller.uid });
 * const results = documents.map((document) => plan.add(document));
 */
export class ImportPlan {
  /** Advisories and vulnerabilities to be stored, as they are to be. New advisories have no uid. */
  readonly advisories = new Map<string, Advisory>();
  readonly vulnerabilities = new Map<string, Vulnerability>();
  readonly #known: Known;
  readonly #occasion: Occasion;

  constructor(known: Known, occasion: Occasion) {
    this.#known = known;
    this.#occasion = occasion;
  }

  /** Takes a document in which nothing is wrong. */
  add(document: AdvisoryDocument): AdvisoryDocumentResult {
    const result = create(AdvisoryDocumentResultSchema, { name: document.name });
    for (const given of document.advisories) result[this.#advisory(given)]++;
    for (const given of document.vulnerabilities) {
      if (this.#isNews(given)) result.vulnerabilitiesChanged++;
    }
    return result;
  }

  #advisory(given: Advisory): "created" | "changed" | "unchanged" {
    const { advisories } = this.#known;
    const before = advisories.get(given.advisoryId);
    const after = merged(before, given, this.#occasion.actor);
    if (after === before) return "unchanged";
    advisories.set(given.advisoryId, after);
    this.advisories.set(given.advisoryId, after);
    return before === undefined ? "created" : "changed";
  }

  /** What is known later counts; the store sees it the same way. */
  #isNews(given: Vulnerability): boolean {
    const { vulnerabilities } = this.#known;
    const row = vulnerabilityRow(this.#occasion.group, given);
    const before = vulnerabilities.get(given.id);
    const isOld = before !== undefined && before.updated > row.updated;
    if (isOld || (before !== undefined && Buffer.compare(before.data, row.data) === 0))
      return false;
    vulnerabilities.set(given.id, row);
    this.vulnerabilities.set(given.id, given);
    return true;
  }
}
