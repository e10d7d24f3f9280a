/** Holders recorded for one entry: those that used it last. */
const MAX_HOLDERS = 32;

interface Entry<V> {
  value: V;
  bytes: number;
  readonly holders: Set<string>;
}

/**
 * A cache that tenants share, bounded by bytes, in which none can evict what the others use; a BoundedCache
 * evicts by recency alone. Every tenant that uses an entry holds it. When the cache is full, the entry
 * whose smallest holder holds the most is evicted, the least recently used one first: a tenant that fills
 * the cache evicts its own entries, and an entry that a small tenant uses stays.
 */
export class FairShareCache<V> {
  readonly #maxBytes: number;
  readonly #isExpendable: (value: V) => boolean;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<V>>();
  #bytes = 0;

  /** Entries with an expendable value are evicted before all others. */
  constructor(maxBytes: number, isExpendable: (value: V) => boolean = () => false) {
    this.#maxBytes = maxBytes;
    this.#isExpendable = isExpendable;
  }

  get(key: string, holder: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#use(key, entry, holder);
    return entry.value;
  }

  set(key: string, value: V, bytes: number, holder: string): void {
    const entry = this.#entries.get(key) ?? { value, bytes: 0, holders: new Set() };
    this.#bytes += bytes - entry.bytes;
    entry.value = value;
    entry.bytes = bytes;
    this.#use(key, entry, holder);
    while (this.#bytes > this.#maxBytes && this.#entries.size > 1) this.#evict(key);
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #use(key: string, entry: Entry<V>, holder: string): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.holders.delete(holder);
    entry.holders.add(holder);
    if (entry.holders.size > MAX_HOLDERS) {
      const [oldest] = entry.holders;
      entry.holders.delete(oldest as string);
    }
  }

  /** Evicts an entry, but not the one that was just set. */
  #evict(exempt: string): void {
    const totals = this.#totals();
    let victim: string | undefined;
    let most = -1;
    for (const [key, { value, holders }] of this.#entries) {
      if (key === exempt) continue;
      const smallest = this.#isExpendable(value)
        ? Number.POSITIVE_INFINITY
        : Math.min(...[...holders].map((holder) => totals.get(holder) as number));
      if (smallest > most) [victim, most] = [key, smallest];
    }
    this.#bytes -= this.#entries.get(victim as string)?.bytes ?? 0;
    this.#entries.delete(victim as string);
  }

  /** The bytes that each holder holds. */
  #totals(): Map<string, number> {
    const totals = new Map<string, number>();
    for (const { bytes, holders } of this.#entries.values()) {
      for (const holder of holders) totals.set(holder, (totals.get(holder) ?? 0) + bytes);
    }
    return totals;
  }
}
