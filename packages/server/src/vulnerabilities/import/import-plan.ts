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
import { eventsExcess } from "../event-checks.ts";
import { vulnerabilityRow } from "../severities/severities.ts";
import { type Importer, mergeAdvisory } from "./merge.ts";

/** The stored state that documents refer to, by id. */
export interface StoredState {
  readonly advisories: Map<string, Advisory>;
  readonly vulnerabilities: Map<string, StoredVulnerability>;
  /** The indexed names of vulnerabilities of the group and its ancestors. */
  readonly names: Set<string>;
}

/**
 * The names of a vulnerability that a document only repeats, as published advisories do: without an update
 * time, which records of vulnerabilities have. None for a record.
 */
export function repeatedNames({ id, aliases, updateTime }: Vulnerability): string[] {
  return updateTime === undefined ? [id, ...aliases] : [];
}

/** The stored advisory, and the merged one. */
type Merged = [before: Advisory | undefined, after: Advisory];

/** Who imports, and into which group. */
export interface ImportContext extends Importer {
  readonly group: string;
}

/**
 * The result of importing documents, before anything is stored. Documents are applied in order: a later one is
 * merged with the result of an earlier one.
 */
export class ImportPlan {
  /** The advisories and vulnerabilities to store. New advisories have no uid. */
  readonly advisories = new Map<string, Advisory>();
  readonly vulnerabilities = new Map<string, Vulnerability>();
  readonly #state: StoredState;
  readonly #context: ImportContext;

  constructor(state: StoredState, context: ImportContext) {
    this.#state = state;
    this.#context = context;
  }

  /** Applies a valid document, unless an advisory would exceed the limits of events. */
  add(document: AdvisoryDocument): AdvisoryDocumentResult {
    const result = create(AdvisoryDocumentResultSchema, { name: document.name });
    const merged = document.advisories.map((given) => this.#merge(given));
    const refusals = merged.flatMap(([before, after], at) => excessOf(before, after, at));
    if (refusals.length > 0) {
      return create(AdvisoryDocumentResultSchema, { name: document.name, refusals });
    }
    for (const [before, after] of merged) {
      result[this.#apply(before, after)]++;
      result.pendingEvents += pendingIn(before, after);
    }
    for (const given of document.vulnerabilities) {
      if (this.#applyVulnerability(given)) result.vulnerabilitiesChanged++;
    }
    return result;
  }

  #merge(given: Advisory): Merged {
    const before = this.#state.advisories.get(given.advisoryId);
    return [before, mergeAdvisory(before, given, this.#context)];
  }

  #apply(...[before, after]: Merged): "created" | "changed" | "unchanged" {
    if (after === before) return "unchanged";
    this.#state.advisories.set(after.advisoryId, after);
    this.advisories.set(after.advisoryId, after);
    return before === undefined ? "created" : "changed";
  }

  /** Whether a vulnerability is new or changed; putVulnerability has the same rule: the latest wins. */
  #applyVulnerability(given: Vulnerability): boolean {
    const { vulnerabilities, names } = this.#state;
    const row = vulnerabilityRow(this.#context.group, given);
    const before = vulnerabilities.get(given.id);
    const isOld = before !== undefined && before.updated > row.updated;
    if (isOld || (before !== undefined && Buffer.compare(before.data, row.data) === 0))
      return false;
    const repeated = repeatedNames(given).map(indexable);
    // If the record is stored under another id, later versions of it would not replace this copy.
    if (before === undefined && repeated.some((name) => names.has(name))) return false;
    for (const name of repeated) names.add(name);
    vulnerabilities.set(given.id, row);
    this.vulnerabilities.set(given.id, given);
    return true;
  }
}

/** The number of new or changed events that await approval. */
function pendingIn(...[before, after]: Merged): number {
  if (after === before) return 0;
  const known = new Set(before?.events);
  return after.events.filter((event) => {
    return event.reviewState === ReviewState.PENDING && !known.has(event);
  }).length;
}

/** Each document is limited; this limits an advisory that many documents add to. */
function excessOf(...[before, after, at]: [...Merged, number]): FieldViolation[] {
  const excess = after === before ? undefined : eventsExcess(after.events);
  if (excess === undefined) return [];
  const description = `events would be ${excess}, including the stored ones`;
  return [{ field: `advisories[${at}].events`, description }];
}
