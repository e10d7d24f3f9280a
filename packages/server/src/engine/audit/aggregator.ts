import { clientNetwork } from "../../lib/net/client-network.ts";
import type { Store } from "../../store/db/store.ts";
import { type AuditEntry, writeAudit } from "../../store/tables/audit/audit-and-events.ts";

/** How long requests of one kind are counted before their count is written. */
const WINDOW_MS = 60_000;

/**
 * Kinds with entries of their own within a window; all further ones share one entry. So a server
 * writes at most 61 entries per minute, whatever the load.
 */
export const MAX_KINDS = 30;
export const MAX_KINDS_PER_NETWORK = 10;

/** The method in the entry of all further kinds. */
export const OTHER_METHOD = "other requests without credentials";

/** Whose requests are aggregated, and how many kinds have entries of their own. */
export interface AggregatorOptions {
  /** Who causes an entry. */
  ownerOf(entry: AuditEntry): string;
  readonly maxKinds: number;
  readonly maxKindsPerOwner: number;
  readonly otherMethod: string;
}

/** Entries that callers without credentials can cause, by client network. */
const BY_NETWORK: AggregatorOptions = {
  ownerOf: ({ remoteAddress }) => clientNetwork(remoteAddress),
  maxKinds: MAX_KINDS,
  maxKindsPerOwner: MAX_KINDS_PER_NETWORK,
  otherMethod: OTHER_METHOD,
};

/** Entries of authenticated callers that change nothing: denied requests, and reads of the audit log. */
export const BY_CALLER: AggregatorOptions = {
  ownerOf: ({ actor }) => actor,
  maxKinds: 1_000,
  maxKindsPerOwner: 20,
  otherMethod: "other denied requests",
};

/** The canonical gRPC code of an entry whose requests had different outcomes. */
const UNKNOWN = 2;

/**
 * Aggregates audit entries that callers can cause without end: rejections, public access and reads.
 * The first request of a kind (client network or caller, method, outcome, reason) is written before the response
 * is sent. Those that follow within a minute are counted and become one entry, with their count, the
 * times of the first and the last, and the details of the first. Each replica counts on its own.
 */
export class AuditAggregator {
  readonly #store: Store;
  readonly #options: AggregatorOptions;
  #kinds = new Map<string, Kind>();
  #other: Repeats | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, options: AggregatorOptions = BY_NETWORK) {
    this.#store = store;
    this.#options = options;
  }

  /**
   * Writes or counts an entry. Rejects if it is the first of its kind and cannot be written; the entry
   * is then counted, to be written later.
   */
  async record(entry: AuditEntry, reason: string): Promise<void> {
    this.#timer ??= setTimeout(() => this.#endWindow(), WINDOW_MS).unref();
    const owner = this.#options.ownerOf(entry);
    const key = JSON.stringify([owner, entry.method, entry.code, reason]);
    const known = this.#kinds.get(key);
    if (known !== undefined) {
      known.repeats = repeated(known.repeats, entry);
    } else if (this.#hasCapacity(owner)) {
      const kind: Kind = { owner, repeats: undefined };
      this.#kinds.set(key, kind);
      await this.#store
        .write(async (tx) => writeAudit(tx, entry))
        .catch((error: unknown) => {
          kind.repeats = repeated(kind.repeats, entry);
          throw error;
        });
    } else {
      this.#other = repeated(this.#other, entry);
    }
  }

  /** Writes the counts: at the end of a window, and before the store is closed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const kinds = this.#kinds;
    const other = this.#other;
    this.#kinds = new Map();
    this.#other = undefined;
    const entries = [...kinds.values()].flatMap(({ repeats }) =>
      repeats === undefined ? [] : [entryOf(repeats)],
    );
    if (other !== undefined) entries.push(otherEntry(other, this.#options.otherMethod));
    if (entries.length === 0) return;
    try {
      await this.#store.write(async (tx) => {
        for (const entry of entries) writeAudit(tx, entry);
      });
    } catch (error) {
      this.#restore(kinds, other);
      throw error;
    }
  }

  #endWindow(): void {
    // Entries that cannot be written stay counted; the store's health reports the failure.
    this.flush().catch(() => {});
  }

  #hasCapacity(owner: string): boolean {
    const { maxKinds, maxKindsPerOwner } = this.#options;
    if (this.#kinds.size >= maxKinds) return false;
    let own = 0;
    for (const kind of this.#kinds.values()) if (kind.owner === owner) own++;
    return own < maxKindsPerOwner;
  }

  #restore(kinds: ReadonlyMap<string, Kind>, other: Repeats | undefined): void {
    const newer = this.#kinds;
    this.#kinds = new Map(kinds);
    for (const [key, kind] of newer) {
      const older = this.#kinds.get(key);
      const repeats = merged(older?.repeats, kind.repeats);
      if (older !== undefined || this.#hasCapacity(kind.owner)) {
        this.#kinds.set(key, { owner: kind.owner, repeats });
      } else this.#other = merged(this.#other, repeats);
    }
    this.#other = merged(other, this.#other);
    this.#timer ??= setTimeout(() => this.#endWindow(), WINDOW_MS).unref();
  }
}

interface Kind {
  readonly owner: string;
  repeats: Repeats | undefined;
}

/** Counted requests; `first` has what all of them have in common. */
interface Repeats {
  readonly first: AuditEntry;
  readonly count: number;
  readonly lastTime: number;
}

function repeated(known: Repeats | undefined, entry: AuditEntry): Repeats {
  return merged(known, { first: entry, count: 1, lastTime: entry.time }) as Repeats;
}

function merged(one: Repeats | undefined, two: Repeats | undefined): Repeats | undefined {
  if (one === undefined || two === undefined) return one ?? two;
  const common = <V>(name: keyof AuditEntry, otherwise: V) =>
    one.first[name] === two.first[name] ? one.first[name] : otherwise;
  const first = {
    ...one.first,
    actor: common("actor", ""),
    resource: common("resource", ""),
    remoteAddress: common("remoteAddress", commonNetwork(one.first, two.first)),
    userAgent: common("userAgent", ""),
    code: common("code", UNKNOWN),
  } as AuditEntry;
  const lastTime = Math.max(one.lastTime, two.lastTime);
  return { first, count: one.count + two.count, lastTime };
}

/** The network of both clients, if it is the same. */
function commonNetwork(one: AuditEntry, two: AuditEntry): string {
  const network = clientNetwork(one.remoteAddress);
  return clientNetwork(two.remoteAddress) === network ? network : "";
}

/** Repeats of a kind: of the details of the first, only the reason and the digest apply to all. */
function entryOf({ first, count, lastTime }: Repeats): AuditEntry {
  const { refused, granted, tokenSha256 } = JSON.parse(first.detail || "{}");
  const times = { firstTime: first.time, lastTime };
  return {
    ...first,
    detail: JSON.stringify({ count, ...times, refused, granted, tokenSha256 }),
  };
}

function otherEntry({ first, count, lastTime }: Repeats, method: string): AuditEntry {
  return {
    ...first,
    method,
    requestId: "",
    detail: JSON.stringify({ count, firstTime: first.time, lastTime }),
  };
}
