import { create } from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryDocument,
  type AdvisoryDocumentResult,
  AdvisoryDocumentResultSchema,
  ReviewState,
  type Vulnerability,
} from "@wharf/contract";
import type { FieldViolation } from "../../lib/errors.ts";
import { indexable } from "../../store/resources/indexable.ts";
import type { StoredVulnerability } from "../../store/tables/vulnerabilities.ts";
import { tooMuch } from "../event-checks.ts";
import { vulnerabilityRow } from "../severities/severities.ts";
import { type Importer, mergeAdvisory } from "./merge.ts";

/** What there is of what documents are about, by id. */
export interface Known {
  readonly advisories: Map<string, Advisory>;
  readonly vulnerabilities: Map<string, StoredVulnerability>;
  /** The names, as they are indexed, under which anything is known of a vulnerability here or above. */
  readonly names: Set<string>;
}

/**
 * The names of a vulnerability of which a document only passes on what it has heard, as published
 * advisories do: their own records say when they were written.
 */
export function hearsayNames({ id, aliases, updateTime }: Vulnerability): string[] {
  return updateTime === undefined ? [id, ...aliases] : [];
}

/** What there is of an advisory, and what becomes of it. */
type Joined = [before: Advisory | undefined, after: Advisory];

/** On whose behalf documents are taken in, and where. */
export interface Occasion extends Importer {
  readonly group: string;
}

/**
 * What taking in documents comes to. They follow one another: a later one finds what an earlier one
 * brings.
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

  /** Takes a document in which nothing is wrong, unless advisories would come to hold too much. */
  add(document: AdvisoryDocument): AdvisoryDocumentResult {
    const result = create(AdvisoryDocumentResultSchema, { name: document.name });
    const joined = document.advisories.map((given) => this.#joined(given));
    const refusals = joined.flatMap(([before, after], at) => tooLarge(before, after, at));
    if (refusals.length > 0) {
      return create(AdvisoryDocumentResultSchema, { name: document.name, refusals });
    }
    for (const [before, after] of joined) {
      result[this.#keep(before, after)]++;
      result.pendingEvents += pendingIn(before, after);
    }
    for (const given of document.vulnerabilities) {
      if (this.#isNews(given)) result.vulnerabilitiesChanged++;
    }
    return result;
  }

  #joined(given: Advisory): Joined {
    const before = this.#known.advisories.get(given.advisoryId);
    return [before, mergeAdvisory(before, given, this.#occasion)];
  }

  #keep(...[before, after]: Joined): "created" | "changed" | "unchanged" {
    if (after === before) return "unchanged";
    this.#known.advisories.set(after.advisoryId, after);
    this.advisories.set(after.advisoryId, after);
    return before === undefined ? "created" : "changed";
  }

  /** What is known later counts; the store sees it the same way. */
  #isNews(given: Vulnerability): boolean {
    const { vulnerabilities, names } = this.#known;
    const row = vulnerabilityRow(this.#occasion.group, given);
    const before = vulnerabilities.get(given.id);
    const isOld = before !== undefined && before.updated > row.updated;
    if (isOld || (before !== undefined && Buffer.compare(before.data, row.data) === 0))
      return false;
    const heard = hearsayNames(given).map(indexable);
    // Where the record is known by another name, this would outlive what the record says later.
    if (before === undefined && heard.some((name) => names.has(name))) return false;
    for (const name of heard) names.add(name);
    vulnerabilities.set(given.id, row);
    this.vulnerabilities.set(given.id, given);
    return true;
  }
}

/** How many events have come in, or changed, that someone has yet to approve. */
function pendingIn(...[before, after]: Joined): number {
  if (after === before) return 0;
  const known = new Set(before?.events);
  return after.events.filter((event) => {
    return event.reviewState === ReviewState.PENDING && !known.has(event);
  }).length;
}

/** A document has its bound; without one here, many documents together would have none. */
function tooLarge(...[before, after, at]: [...Joined, number]): FieldViolation[] {
  const excess = after === before ? undefined : tooMuch(after.events);
  if (excess === undefined) return [];
  const description = `events would be ${excess} with those that are there`;
  return [{ field: `advisories[${at}].events`, description }];
}
