export interface CacheOptions {
  readonly maxEntries: number;
  /** Bytes of all entries, as their users count them; unlimited by default. */
  readonly maxBytes?: number;
  /** Validity of an entry; unlimited by default. */
  readonly ttlMs?: number;
}

/**
 * A cache bounded by entries and by bytes. Entries are kept in two generations of half the bounds each:
 * when the young one is full it becomes the old one, and the old one is dropped. An entry that is read
 * from the old generation moves to the young one, so entries in use survive, and a hit on a young entry
 * costs a single look-up. At least the most recently used half of `maxEntries` is always kept.
 */
export class BoundedCache<K, V> {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #ttlMs: number | undefined;
  #young = new Map<K, Entry<V>>();
  #old = new Map<K, Entry<V>>();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor({ maxEntries, maxBytes = Number.POSITIVE_INFINITY, ttlMs }: CacheOptions) {
    this.#maxEntries = maxEntries / 2;
    this.#maxBytes = maxBytes / 2;
    this.#ttlMs = ttlMs;
  }

  /** The valid value of a key. `now` counts only for a cache with a TTL; by default it is monotonic. */
  get(key: K, now?: number): V | undefined {
    const entry = this.#young.get(key) ?? this.#promote(key);
    if (entry === undefined) return undefined;
    if (entry.expires !== undefined && entry.expires <= (now ?? performance.now())) {
      this.delete(key);
      return undefined;
    }
    return entry.value;
  }

  has(key: K): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  /** Keeps a value. One that would fill a whole generation is not kept. */
  set(key: K, value: V, bytes = 0, now?: number): void {
    this.delete(key);
    if (bytes > this.#maxBytes) return;
    const expires =
      this.#ttlMs === undefined ? undefined : (now ?? performance.now()) + this.#ttlMs;
    this.#add(key, { value, bytes, expires });
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

  /** Moves an entry of the old generation to the young one. */
  #promote(key: K): Entry<V> | undefined {
    const entry = this.#old.get(key);
    if (entry === undefined) return undefined;
    this.#old.delete(key);
    this.#oldBytes -= entry.bytes;
    this.#add(key, entry);
    return entry;
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
  readonly expires: number | undefined;
}

/** Removes an entry and returns how many bytes it had. */
function remove<K, V>(from: Map<K, Entry<V>>, key: K): number {
  const bytes = from.get(key)?.bytes ?? 0;
  from.delete(key);
  return bytes;
}
