import { auditRoot, rootOf } from "@wharf/contract";
import { clientNetwork } from "../../lib/net/client-network.ts";
import type { Store } from "../../store/db/store.ts";
import { type AuditEntry, writeAudit } from "../../store/tables/audit/audit-and-events.ts";
import { AggregationPool, type AggregatorOptions } from "./aggregation-pool.ts";
import { repeatOf } from "./repeats.ts";

/** Time for which requests of one kind are counted before the count is written. */
const WINDOW_MS = 60_000;

/**
 * Kinds of requests without credentials that have entries of their own within a window, in each organization; further
 * ones share an entry for each of some networks, and one for all others. Each of these is written at most twice.
 */
export const MAX_KINDS = 30;
export const MAX_KINDS_PER_NETWORK = 10;
export const MAX_NETWORKS = 10;

/** The method in the overflow entry. */
export const OTHER_METHOD = "other requests without credentials";

/** Entries that callers without credentials can cause, by client network. */
const BY_NETWORK: AggregatorOptions = {
  ownerOf: ({ remoteAddress }) => clientNetwork(remoteAddress),
  shareOf: () => "",
  maxKinds: MAX_KINDS,
  maxKindsPerOwner: MAX_KINDS_PER_NETWORK,
  maxOwners: MAX_NETWORKS,
  overflowMethod: () => OTHER_METHOD,
};

const CALLERS = {
  ownerOf: ({ actor }: AuditEntry) => actor,
  shareOf: ({ actor }: AuditEntry) => rootOf(actor),
  maxKindsPerOwner: 20,
};

/** Denied requests of authenticated callers. Identities are free, so those of one organization have a common share. */
export const BY_CALLER: AggregatorOptions = {
  ...CALLERS,
  maxKinds: 1_000,
  maxOwners: 100,
  overflowMethod: () => "other denied requests",
};

/**
 * Reads of the audit log. Readers hold a right there, so they are not bounded: every entry keeps reader, method and
 * organization, and only repeats are counted.
 */
export const BY_READER: AggregatorOptions = {
  ...CALLERS,
  maxKinds: Number.POSITIVE_INFINITY,
  maxOwners: Number.POSITIVE_INFINITY,
  overflowMethod: ({ method }) => method,
};

/** The aggregators of audit entries that callers can cause in any number. */
export class AuditAggregators {
  /** Requests without credentials, or with wrong ones. */
  readonly anonymous: AuditAggregator;
  /** Denied calls of authenticated callers. */
  readonly denials: AuditAggregator;
  /** Reads of the audit log. */
  readonly reads: AuditAggregator;

  constructor(store: Store, isOrganization: OrganizationLookup) {
    this.anonymous = new AuditAggregator(store, isOrganization);
    this.denials = new AuditAggregator(store, isOrganization, BY_CALLER);
    this.reads = new AuditAggregator(store, isOrganization, BY_READER);
  }
}

/** Dependencies of what audits denials and reads. */
export interface AuditedDeps {
  readonly audit: AuditAggregators;
}

/** Whether an organization exists. Callers can name any. */
export type OrganizationLookup = (uid: string) => Promise<boolean>;

/**
 * Aggregates audit entries that callers can cause without end: rejections, public access and reads.
 * The first request of a kind (client network or caller, method, outcome, reason) in an organization is written before
 * the response is sent. Those that follow within a minute are counted and become one entry, with their count, the
 * times of the first and the last, and the details of the first. Each replica counts on its own.
 */
export class AuditAggregator {
  readonly #store: Store;
  readonly #isOrganization: OrganizationLookup;
  readonly #options: AggregatorOptions;
  #pools = new Map<string, AggregationPool>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    store: Store,
    isOrganization: OrganizationLookup,
    options: AggregatorOptions = BY_NETWORK,
  ) {
    this.#store = store;
    this.#isOrganization = isOrganization;
    this.#options = options;
  }

  /**
   * Writes or counts an entry. Rejects if it is the first of its kind and cannot be written; the entry
   * is then counted, to be written later. Verified entries, whose client has proved something to the organization, are
   * counted apart from those that anyone can cause.
   */
  async record(entry: AuditEntry, reason: string, isVerified = false): Promise<void> {
    const root = await this.#rootOf(entry);
    this.#timer ??= setTimeout(() => this.#endWindow(), WINDOW_MS).unref();
    const key = poolKey(root, isVerified);
    const pool = this.#pools.get(key) ?? new AggregationPool(root, this.#options);
    this.#pools.set(key, pool);
    const { kind, isNew } = pool.kindOf(entry, reason);
    if (!isNew) {
      pool.count(kind, repeatOf(entry));
      return;
    }
    await this.#store
      .write(async (tx) => writeAudit(tx, entry))
      .catch((error: unknown) => {
        pool.count(kind, repeatOf(entry));
        throw error;
      });
  }

  /** Writes the counts: at the end of a window, and before the store is closed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pools = this.#pools;
    this.#pools = new Map();
    const entries = [...pools.values()].flatMap((pool) => [...pool.entries()]);
    if (entries.length === 0) return;
    try {
      await this.#store.write(async (tx) => {
        for (const entry of entries) writeAudit(tx, entry);
      });
    } catch (error) {
      this.#restore(pools);
      throw error;
    }
  }

  #endWindow(): void {
    // Entries that cannot be written stay counted; the store's health reports the failure.
    this.flush().catch(() => {});
  }

  /** The organization in whose log an entry is; empty if there is none, or the store cannot be read. */
  async #rootOf({ resource, actor }: AuditEntry): Promise<string> {
    const root = auditRoot(resource, actor);
    const isKnown = root === "" || this.#pools.has(poolKey(root, false));
    if (isKnown || (await this.#isOrganization(root).catch(() => false))) return root;
    return "";
  }

  #restore(pools: Map<string, AggregationPool>): void {
    for (const [key, newer] of this.#pools) {
      const older = pools.get(key);
      if (older === undefined) pools.set(key, newer);
      else older.absorb(newer);
    }
    this.#pools = pools;
    this.#timer ??= setTimeout(() => this.#endWindow(), WINDOW_MS).unref();
  }
}

function poolKey(root: string, isVerified: boolean): string {
  return `${root} ${isVerified}`;
}
