import { hash } from "node:crypto";
import { TokenSealer } from "../lib/token-sealer.ts";

/** Names the format, and tells sealed tickets from the secrets of stored ones. */
const PREFIX = "s1.";

/** Used tickets that are remembered: those of an hour with ten sign-ins a second, in some megabytes. */
const MAX_USED = 50_000;

/** What a sealed ticket holds. */
export interface OpenedTicket<P> {
  readonly payload: P;
  readonly expires: number;
}

/**
 * Tickets that hold their own state, encrypted and authenticated for one purpose: what anyone can
 * begin without signing in is kept by their browser, not in the store. That a ticket was used is known to
 * this process alone; what may happen once, such as signing in, is recorded in the store when it happens.
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

  /** Marks a ticket as used; returns false if it was. The longest used ones are forgotten first. */
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

/** Tickets can be long. */
function keyOf(ticket: string): string {
  return hash("sha256", ticket, "base64url");
}
