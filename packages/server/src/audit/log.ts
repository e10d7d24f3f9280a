import type { AuditFilter } from "@wharf/contract";
import type { Grants } from "../auth/grants.ts";
import type { SlicedTask } from "../lib/scheduling/time-slices.ts";
import type { Store } from "../store/db/store.ts";
import { readAuditEntries, type StoredAuditEntry } from "../store/tables/audit/entries.ts";
import { selectionOf } from "./filter.ts";
import { Matches } from "./index/matches.ts";
import { Postings } from "./index/postings.ts";
import { endOf, type Segment, Segments } from "./index/segments.ts";
import { countByTime, type PageRequest, selectPage } from "./index/select.ts";

/** Entries that are read between two points where other requests may run. */
const BATCH_SIZE = 100;

/** A page of entries, in its order. */
export interface AuditPage {
  readonly entries: readonly StoredAuditEntry[];
  readonly total: number;
}

/** Reads the audit log on behalf of callers. */
export class AuditLog {
  readonly #store: Store;
  readonly #segments = new Segments();
  readonly #postings = new Postings();
  readonly #matches = new Matches(this.#postings);

  constructor(store: Store) {
    this.#store = store;
  }

  /** A page of the entries that match a filter and that the caller may see. */
  async page(
    grants: Grants,
    filter: AuditFilter | undefined,
    request: PageRequest,
    task: SlicedTask,
  ): Promise<AuditPage> {
    const { reader } = this.#store;
    const segments = await this.#segments.read(reader, task);
    const selection = await selectionOf(grants, filter, this.#methods(segments));
    const index = { segments, matches: this.#matches };
    const { ids, total } = await selectPage(reader, index, selection, request, task);
    const entries: StoredAuditEntry[] = [];
    for (let at = 0; at < ids.length; at += BATCH_SIZE) {
      const some = await readAuditEntries(reader, ids.slice(at, at + BATCH_SIZE));
      entries.push(...(request.descending ? some.reverse() : some));
      await task.pause();
    }
    return { entries, total };
  }

  /** Counts the entries that match a filter and that the caller may see, in equal intervals of its times. */
  async counts(
    grants: Grants,
    filter: AuditFilter,
    intervals: number,
    task: SlicedTask,
  ): Promise<number[]> {
    const { reader } = this.#store;
    const segments = await this.#segments.read(reader, task);
    const selection = await selectionOf(grants, filter, this.#methods(segments));
    const index = { segments, matches: this.#matches };
    return countByTime(reader, index, selection, intervals, task);
  }

  /** Reads the methods that the index knows. */
  #methods(segments: readonly Segment[]): () => Promise<readonly string[]> {
    return () => this.#postings.values(this.#store.reader, "method", endOf(segments));
  }
}
