/** Holders remembered for one entry; those that used it last. */
const MAX_HOLDERS = 32;

interface Entry<V> {
  value: V;
  bytes: number;
  readonly holders: Set<string>;
}

/**
 * A cache that several parties share, bounded by bytes, in which none can displace what the others
 * use. An entry is held by everyone who uses it. When there is too much, the entry goes whose smallest
 * holder holds the most, the least recently used one first: who fills the cache displaces their own
 * entries, and an entry that a small holder uses stays, even if others use it.
 */
export class FairShareCache<V> {
  readonly #maxBytes: number;
  readonly #isExpendable: (value: V) => boolean;
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry<V>>();
  #bytes = 0;

  /** Entries whose value is expendable go before all others. */
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

  /** Makes room for an entry, which itself stays: its caller is about to use it. */
  #evict(kept: string): void {
    const totals = this.#totals();
    let chosen: string | undefined;
    let most = -1;
    for (const [key, { value, holders }] of this.#entries) {
      if (key === kept) continue;
      const smallest = this.#isExpendable(value)
        ? Number.POSITIVE_INFINITY
        : Math.min(...[...holders].map((holder) => totals.get(holder) as number));
      if (smallest > most) [chosen, most] = [key, smallest];
    }
    this.#bytes -= this.#entries.get(chosen as string)?.bytes ?? 0;
    this.#entries.delete(chosen as string);
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
