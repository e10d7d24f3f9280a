import { hash } from "node:crypto";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { TokenSealer } from "../../lib/crypto/token-sealer.ts";
import type { Position } from "../../store/resources/query.ts";

/** After an expired token, a list starts over. */
const LIFETIME_MS = 3 * 24 * 3_600_000;

const VERSION = 1;

/** A sealed token is reused for this long for the same query and position. */
const REUSE_MS = 60_000;

const MAX_CACHE_ENTRIES = 1_000;

/** Queries with many uids are long. */
const MAX_CACHE_BYTES = 1024 * 1024;

/** Position at which a list continues: after this row, with the number of rows skipped on the way. */
export interface Cursor {
  readonly position: Position;
  readonly skipped: number;
}

export type OpenedToken = { readonly cursor: Cursor } | "expired" | "foreign";

/**
 * Seals page tokens. A token says where a list continues, and nothing else: it is bound to its query
 * and its time, unreadable and unforgeable, and grants nothing.
 */
export class PageTokens {
  readonly #sealer: TokenSealer;
  readonly #cache = new BoundedCache<string, string>({
    maxEntries: MAX_CACHE_ENTRIES,
    maxBytes: MAX_CACHE_BYTES,
    ttlMs: REUSE_MS,
  });
  #cacheKey: Buffer | undefined;

  constructor(secret: () => Buffer) {
    this.#sealer = new TokenSealer(secret, "wharf page tokens");
  }

  seal(query: string, { position, skipped }: Cursor, now: number): string {
    this.#clearAfterRotation();
    const { key, id, secondary } = position;
    const place = [key, id, skipped, ...(secondary === undefined ? [] : [secondary])];
    const cacheKey = JSON.stringify(place) + query;
    const cached = this.#cache.get(cacheKey, now);
    // Sealing costs as much as reading the page, and the pages that many users open are few.
    if (cached !== undefined) return cached;
    const token = this.#sealer.seal(JSON.stringify([VERSION, now, digest(query), ...place]));
    this.#cache.set(cacheKey, token, cacheKey.length + token.length, now);
    return token;
  }

  /** "foreign" if the token is forged, or belongs to another query. */
  open(query: string, token: string, now: number): OpenedToken {
    const text = this.#sealer.open(token);
    if (text === undefined) return "foreign";
    const [version, sealed, of, key, id, skipped, secondary] = JSON.parse(text) as Content;
    if (version !== VERSION || of !== digest(query)) return "foreign";
    if (now - sealed > LIFETIME_MS) return "expired";
    return { cursor: { position: { key, id, ...(secondary && { secondary }) }, skipped } };
  }

  #clearAfterRotation(): void {
    const { key } = this.#sealer;
    if (this.#cacheKey === key) return;
    this.#cacheKey = key;
    this.#cache.clear();
  }
}

type Content = [
  version: number,
  sealed: number,
  of: string,
  key: string | number,
  id: number,
  skipped: number,
  secondary?: readonly (string | number)[],
];

function digest(query: string): string {
  return hash("sha256", query, "base64url").slice(0, 22);
}
