import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";
import type { Position } from "../store/resources/page.ts";

/** Tokens older than this begin the query anew. */
const LIFETIME_MS = 3 * 24 * 3_600_000;

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A token that was sealed is given out again for this long to whoever comes to the same place. */
const REUSE_MS = 60_000;

/** Tokens kept for that at most. */
const MAX_CACHE_ENTRIES = 1_000;

/** Where a list goes on: after this row, with so many rows skipped on the way. */
export interface Cursor {
  readonly position: Position;
  readonly skipped: number;
}

export type OpenedToken = { readonly cursor: Cursor } | "expired" | "foreign";

/**
 * Seals page tokens. A token says where a list goes on and nothing else: it is bound to its query
 * and its time, unreadable and unforgeable, and grants nothing.
 */
export class PageTokens {
  readonly #secret: () => Buffer;
  readonly #sealed = new Map<string, { readonly token: string; readonly made: number }>();
  #derived: { readonly from: Buffer; readonly key: Buffer } | undefined;

  /** @example new PageTokens(() => installation.get("page-tokens")) */
  constructor(secret: () => Buffer) {
    this.#secret = secret;
  }

  /** The key of the present secret. A rotation replaces the secret while we run. */
  #key(): Buffer {
    const from = this.#secret();
    if (this.#derived?.from !== from) {
      const key = Buffer.from(hkdfSync("sha256", from, "", "wharf page tokens", 32));
      this.#derived = { from, key };
      this.#sealed.clear();
    }
    return this.#derived.key;
  }

  /**
   * @example const nextPageToken = tokens.seal(query, { position, skipped: 0 }, Date.now());
   */
  seal(query: string, cursor: Cursor, now: number): string {
    const sealingKey = this.#key();
    const { position, skipped } = cursor;
    const content = JSON.stringify([digest(query), position.key, position.id, skipped]);
    const known = this.#sealed.get(content);
    // Sealing costs as much as reading the page; the pages that everyone looks at are few.
    if (known !== undefined && now - known.made < REUSE_MS) return known.token;
    const token = seal(sealingKey, JSON.stringify([VERSION, now, ...JSON.parse(content)]));
    this.#sealed.delete(content);
    if (this.#sealed.size >= MAX_CACHE_ENTRIES)
      this.#sealed.delete(this.#sealed.keys().next().value as string);
    this.#sealed.set(content, { token, made: now });
    return token;
  }

  /**
   * Opens a token of this query: "expired" when its time has passed, "foreign" when it is not a
   * token of ours or belongs to another query.
   *
   * @example const opened = tokens.open(query, request.pageToken, Date.now());
   */
  open(query: string, token: string, now: number): OpenedToken {
    const content = this.#unseal(token);
    if (content === undefined) return "foreign";
    const [version, made, of, key, id, skipped] = content;
    if (version !== VERSION || of !== digest(query)) return "foreign";
    if (now - made > LIFETIME_MS) return "expired";
    return { cursor: { position: { key, id }, skipped } };
  }

  #unseal(token: string): Content | undefined {
    const sealed = Buffer.from(token, "base64url");
    if (sealed.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    // One spelling per token: what decodes alike but reads otherwise was tampered with.
    if (sealed.toString("base64url") !== token) return undefined;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", this.#key(), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      const content = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
      return JSON.parse(Buffer.concat(content).toString("utf8")) as Content;
    } catch {
      return undefined;
    }
  }
}

type Content = [
  version: number,
  made: number,
  of: string,
  key: string | number,
  id: number,
  skipped: number,
];

function seal(key: Buffer, content: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  const sealed = [nonce, cipher.update(content, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString("base64url");
}

function digest(query: string): string {
  return hash("sha256", query, "base64url").slice(0, 22);
}
