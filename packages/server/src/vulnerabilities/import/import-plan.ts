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
import type { StoredSource } from "../../store/tables/advisories/sources.ts";
import type { StoredVulnerability } from "../../store/tables/advisories/vulnerabilities.ts";
import { eventsExcess } from "../event-checks.ts";
import { vulnerabilityRow } from "../severities/definition.ts";
import { withTimes } from "./event-times.ts";
import { type Importer, mergeAdvisory } from "./merge.ts";
import type { GivenSource } from "./source-checks.ts";
import { type PlannedSource, planSource } from "./source-plan.ts";

/** The stored state that documents refer to, by id. */
export interface StoredState {
  readonly advisories: Map<string, Advisory>;
  readonly vulnerabilities: Map<string, StoredVulnerability>;
  /** The sources of advisories, by the ids of the advisories. */
  readonly sources: Map<string, readonly StoredSource[]>;
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

/** The stored advisory, the merged one, and a source to be stored with it. */
type Merged = [before: Advisory | undefined, after: Advisory, source: PlannedSource | undefined];

/** The importer, and the group that is imported into. */
export interface ImportContext extends Importer {
  readonly group: string;
  /** The time of the import, in milliseconds. */
  readonly now: number;
}

/**
 * The result of importing documents, before anything is stored. Documents are applied in order: a later one is
 * merged with the result of an earlier one.
 */
export class ImportPlan {
  /** The advisories and vulnerabilities to store. New advisories have no uid. */
  readonly advisories = new Map<string, Advisory>();
  readonly vulnerabilities = new Map<string, Vulnerability>();
  /** The sources to store, by the ids of their advisories. */
  readonly sources = new Map<string, PlannedSource[]>();
  readonly #state: StoredState;
  readonly #context: ImportContext;

  constructor(state: StoredState, context: ImportContext) {
    this.#state = state;
    this.#context = context;
  }

  /** Applies a valid document, unless an advisory would exceed the limits of events. */
  add(document: AdvisoryDocument): AdvisoryDocumentResult {
    const result = create(AdvisoryDocumentResultSchema, { name: document.name });
    const merged = document.advisories.map((imported) => this.#merge(imported, document));
    const refusals = merged.flatMap(excessOf);
    if (refusals.length > 0) {
      return create(AdvisoryDocumentResultSchema, { name: document.name, refusals });
    }
    for (const one of merged) {
      result[this.#apply(...one)]++;
      result.pendingEvents += pendingIn(...one);
    }
    for (const imported of document.vulnerabilities) {
      if (this.#applyVulnerability(imported)) result.vulnerabilitiesChanged++;
    }
    return result;
  }

  #merge(untimed: Advisory, document: AdvisoryDocument): Merged {
    const before = this.#state.advisories.get(untimed.advisoryId);
    const { advisory: imported, source: from } = withTimes(
      before,
      untimed,
      document,
      this.#context.now,
    );
    const after = mergeAdvisory(before, imported, this.#context);
    const source = from && this.#planSource(before, after, from);
    // A new source changes the advisory, although it is stored apart.
    return [before, source !== undefined && after === before ? { ...after } : after, source];
  }

  #planSource(
    before: Advisory | undefined,
    after: Advisory,
    source: GivenSource,
  ): PlannedSource | undefined {
    const { advisoryId } = after;
    const planned = this.sources.get(advisoryId) ?? [];
    const stored = this.#state.sources.get(advisoryId) ?? [];
    const replaced = new Set(planned.map(({ time }) => time));
    const known = [...planned, ...stored.filter(({ time }) => !replaced.has(time))];
    return planSource(before, after, known, source, this.#context);
  }

  #apply(...[before, after, source]: Merged): "created" | "changed" | "unchanged" {
    if (after === before) return "unchanged";
    this.#state.advisories.set(after.advisoryId, after);
    this.advisories.set(after.advisoryId, after);
    if (source !== undefined) {
      const others = this.sources.get(after.advisoryId) ?? [];
      const kept = others.filter(({ time }) => time !== source.time);
      this.sources.set(after.advisoryId, [...kept, source]);
    }
    return before === undefined ? "created" : "changed";
  }

  /** Whether a vulnerability is new or changed; putVulnerability has the same rule: the latest wins. */
  #applyVulnerability(imported: Vulnerability): boolean {
    const { vulnerabilities, names } = this.#state;
    const row = vulnerabilityRow(this.#context.group, imported);
    const before = vulnerabilities.get(imported.id);
    const isOld = before !== undefined && before.updated > row.updated;
    if (isOld || (before !== undefined && Buffer.compare(before.data, row.data) === 0))
      return false;
    const repeated = repeatedNames(imported).map(indexable);
    // If the record is stored under another id, later versions of it would not replace this copy.
    if (before === undefined && repeated.some((name) => names.has(name))) return false;
    for (const name of repeated) names.add(name);
    vulnerabilities.set(imported.id, row);
    this.vulnerabilities.set(imported.id, imported);
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
function excessOf([before, after]: Merged, at: number): FieldViolation[] {
  const excess = after === before ? undefined : eventsExcess(after.events);
  if (excess === undefined) return [];
  const description = `events would be ${excess}, including the stored ones`;
  return [{ field: `advisories[${at}].events`, description }];
}
