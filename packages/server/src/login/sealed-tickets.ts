import { hash } from "node:crypto";
import { TokenSealer } from "../lib/crypto/token-sealer.ts";

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
 * Tickets that contain their own state, encrypted and authenticated for one purpose: what anyone can start without
 * signing in is stored by the browser, not by the server. Only this process remembers used tickets; what must happen
 * once, such as a sign-in, is recorded in the store.
 */
export class SealedTickets {
  readonly #sealer: TokenSealer;
  /** In order of use. No BoundedCache: a ticket that it evicts early would be accepted a second time. */
  readonly #used = new Set<string>();

  constructor(secret: () => Buffer) {
    this.#sealer = new TokenSealer(secret, "wharf login tickets");
  }

  seal(purpose: string, payload: object, expires: number): string {
    return `${PREFIX}${this.#sealer.seal(JSON.stringify([expires, payload]), purpose)}`;
  }

  /** The content of a ticket; undefined if it is invalid, expired or for another purpose. */
  open<P>(purpose: string, ticket: string, now: number): OpenedTicket<P> | undefined {
    if (!ticket.startsWith(PREFIX)) return undefined;
    const text = this.#sealer.open(ticket.slice(PREFIX.length), purpose);
    if (text === undefined) return undefined;
    const [expires, payload] = JSON.parse(text) as [number, P];
    return expires > now ? { expires, payload } : undefined;
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
