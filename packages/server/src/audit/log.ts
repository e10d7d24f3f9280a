import type { AuditFilter } from "@wharf/contract";
import type { Grants } from "../auth/grants.ts";
import type { Store } from "../store/db/store.ts";
import { readAuditEntries, type StoredAuditEntry } from "../store/tables/audit-entries.ts";
import { selectionOf } from "./filter.ts";
import { Segments } from "./index/segments.ts";
import { type PageRequest, selectPage } from "./index/select.ts";

/** A page of entries, in its order. */
export interface AuditPage {
  readonly entries: readonly StoredAuditEntry[];
  readonly total: number;
}

/** Reads the audit log on behalf of callers. */
export class AuditLog {
  readonly #store: Store;
  readonly #segments = new Segments();

  constructor(store: Store) {
    this.#store = store;
  }

  /** A page of the entries that match a filter and that the caller may see. */
  async page(
    grants: Grants,
    filter: AuditFilter | undefined,
    request: PageRequest,
  ): Promise<AuditPage> {
    const { reader } = this.#store;
    const selection = await selectionOf(reader, grants, filter);
    const segments = await this.#segments.read(reader);
    const { ids, total } = await selectPage(reader, segments, selection, request);
    const entries = await readAuditEntries(reader, ids);
    return { entries: request.descending ? entries.reverse() : entries, total };
  }
}
