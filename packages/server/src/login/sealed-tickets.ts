import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The version of the format. Distinguishes sealed tickets from secrets of stored ones. */
const PREFIX = "s1.";

/** Enough for an hour with ten sign-ins per second, in a few megabytes. */
const MAX_USED = 50_000;

/** The content of a sealed ticket. */
export interface OpenedTicket<P> {
  readonly payload: P;
  readonly expires: number;
}

/**
 * Tickets that contain their own state, encrypted and authenticated for one purpose: what anyone
 * can start without signing in is kept by the browser, not in the store. Only this process
 * remembers used tickets; what must happen once, such as a sign-in, is recorded in the store.
 */
export class SealedTickets {
  readonly #secret: () => Buffer;
  #derived: { readonly from: Buffer; readonly key: Buffer } | undefined;
  readonly #used = new Set<string>();

  /** All replicas share the secret. A rotation may replace it. */
  constructor(secret: () => Buffer) {
    this.#secret = secret;
  }

  get #key(): Buffer {
    const from = this.#secret();
    if (this.#derived?.from !== from) {
      const key = Buffer.from(hkdfSync("sha256", from, "", "wharf login tickets", 32));
      this.#derived = { from, key };
    }
    return this.#derived.key;
  }

  seal(purpose: string, payload: object, expires: number): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(purpose));
    const content = JSON.stringify([expires, payload]);
    const parts = [nonce, cipher.update(content, "utf8"), cipher.final(), cipher.getAuthTag()];
    return `${PREFIX}${Buffer.concat(parts).toString("base64url")}`;
  }

  /** The content of a ticket for this purpose; undefined if it is invalid or has expired. */
  open<P>(purpose: string, ticket: string, now: number): OpenedTicket<P> | undefined {
    if (!ticket.startsWith(PREFIX)) return undefined;
    const text = ticket.slice(PREFIX.length);
    const bytes = Buffer.from(text, "base64url");
    // Only the canonical encoding: the text of the ticket identifies it when it is redeemed.
    if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== text) {
      return undefined;
    }
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
      const content = Buffer.concat([decipher.update(body), decipher.final()]);
      const [expires, payload] = JSON.parse(content.toString("utf8")) as [number, P];
      return expires > now ? { expires, payload } : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Marks a ticket as used; returns false if it was used before. Evicts the oldest entries first.
   */
  useOnce(ticket: string): boolean {
    if (this.isUsed(ticket)) return false;
    if (this.#used.size >= MAX_USED) this.#used.delete(this.#used.values().next().value as string);
    this.#used.add(keyOf(ticket));
    return true;
  }

  isUsed(ticket: string): boolean {
    return this.#used.has(keyOf(ticket));
  }
}

/** A digest, because tickets can be long. */
function keyOf(ticket: string): string {
  return hash("sha256", ticket, "base64url");
}
