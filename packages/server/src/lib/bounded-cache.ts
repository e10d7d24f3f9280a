export interface CacheBounds {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/**
 * A cache bounded by entries and by bytes, as its user counts them. Entries are kept in two
 * generations of half the bounds each: when the young one is full it becomes the old one, and the old
 * one is dropped. An entry that is read from the old generation moves to the young one, so entries in
 * use survive, and a hit on a young entry costs a single look-up.
 */
export class BoundedCache<K, V> {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #young = new Map<K, Entry<V>>();
  #old = new Map<K, Entry<V>>();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor({ maxEntries, maxBytes }: CacheBounds) {
    this.#maxEntries = maxEntries / 2;
    this.#maxBytes = maxBytes / 2;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.#oldBytes -= old.bytes;
    this.#add(key, old);
    return old.value;
  }

  has(key: K): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  /** Keeps a value. One that would fill a whole generation is not kept. */
  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (bytes <= this.#maxBytes) this.#add(key, { value, bytes });
  }

  delete(key: K): void {
    this.#youngBytes -= remove(this.#young, key);
    this.#oldBytes -= remove(this.#old, key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngBytes = 0;
    this.#oldBytes = 0;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  #add(key: K, entry: Entry<V>): void {
    const full =
      this.#young.size + 1 > this.#maxEntries || this.#youngBytes + entry.bytes > this.#maxBytes;
    if (full) {
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(key, entry);
    this.#youngBytes += entry.bytes;
  }
}

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

/** Removes an entry and returns how many bytes it had. */
function remove<K, V>(from: Map<K, Entry<V>>, key: K): number {
  const bytes = from.get(key)?.bytes ?? 0;
  from.delete(key);
  return bytes;
}
