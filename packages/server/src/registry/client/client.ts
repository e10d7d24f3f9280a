import { setTimeout as sleep } from "node:timers/promises";
import type { Addresses } from "../../config/addresses.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { WharfError } from "../../lib/errors.ts";
import { Semaphore } from "../../lib/semaphore.ts";
import type { RegistryKeys } from "../access/keys.ts";
import { type Access, issueRegistryToken } from "../access/token.ts";
import { MANIFEST_TYPES } from "../images/manifest.ts";
import { type Answer, type Question, TooLong, Transport } from "./transport.ts";

/** Whom our own tokens name. Registries tell us of our own reads, too; they are nobody's pulls. */
export const OURSELVES = "wharf";

/** Requests to one registry at a time. */
const AT_ONCE = 8;

/** What our own tokens are good for; they are made anew a minute before they end. */
const FRESH_MS = 4 * 60_000;

/** A registry that is asked too much says when to ask again; so often we do, before it counts as down. */
const MOST_WAITS = 3;
const LONGEST_WAIT_MS = 10_000;

/** What is before a registry says so when that is down. */
const DOWN = new Set([429, 502, 503, 504]);

/** Tokens kept: more repositories are not looked at at the same time. */
const MOST_TOKENS = 64;

const ACCEPT = [...MANIFEST_TYPES, "*/*"].join(", ");

export interface ClientParts {
  readonly host: string;
  readonly url: string;
  readonly keys: RegistryKeys;
  addresses(): Addresses;
}

/** What a registry is asked. */
export interface Asking extends Omit<Question, "headers"> {
  readonly target: string;
  readonly access: readonly Access[];
  /** On whose behalf; left out, on our own. */
  readonly subject?: string;
  readonly contentType?: string;
}

/** An answer, and when it was asked for by the registry's clock. */
export interface Asked extends Answer {
  readonly time: number;
}

interface OwnToken {
  readonly token: string;
  readonly kid: string;
}

/** Asks a registry, with tokens that we sign ourselves: so many questions at a time, and patiently. */
export class RegistryClient {
  readonly #parts: ClientParts;
  readonly #semaphore = new Semaphore(AT_ONCE);
  readonly #transport = new Transport(AT_ONCE);
  readonly #tokens = new BoundedCache<string, OwnToken>({
    maxEntries: MOST_TOKENS,
    ttlMs: FRESH_MS,
  });

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /**
   * Asks for something, or to change it; 404 is undefined, anything else that is no success an oddity.
   *
   * @example const answer = await client.ask({ method: "HEAD", target, access, most: 0 });
   */
  ask({ target, access, subject, contentType, ...question }: Asking): Promise<Asked | undefined> {
    return this.#semaphore.run(async () => {
      const token = await (subject === undefined
        ? this.#ownToken(access)
        : this.#sign(subject, access));
      const type = contentType && { "content-type": contentType };
      const headers = { authorization: `Bearer ${token}`, accept: ACCEPT, ...type };
      const url = new URL(`${this.#parts.url}${target}`);
      const answer = await this.#patiently(url, { ...question, headers });
      const { status } = answer;
      if (status >= 200 && status <= 204) return answer;
      if (status === 404) return undefined;
      const said = `answers ${status} to ${question.method} ${target}`;
      throw DOWN.has(status) ? this.#fault(said) : this.oddity(said);
    });
  }

  /** It answers, and not as it should. */
  oddity(what: string): WharfError {
    return new WharfError("UNKNOWN", `the registry ${this.#parts.host} ${what}`);
  }

  close(): void {
    this.#transport.close();
  }

  async #patiently(url: URL, question: Question): Promise<Asked> {
    for (let turn = 0; ; turn++) {
      const began = Date.now();
      const answer = await this.#transport.ask(url, question).catch((error) => {
        const said = `cannot be read: ${error.message || error.code}`;
        throw error instanceof TooLong ? this.oddity(said) : this.#fault(said, error);
      });
      const { status, headers } = answer;
      if (status !== 429 || turn === MOST_WAITS)
        return { ...answer, time: theirTime(began, headers.date) };
      const { signal } = question;
      await sleep(waitOf(headers["retry-after"]), undefined, signal && { signal });
    }
  }

  /** A token for ourselves, used for as long as it is fresh: a look asks a repository many times. */
  async #ownToken(access: readonly Access[]): Promise<string> {
    const now = Date.now();
    const name = (access[0] as Access).name;
    const known = this.#tokens.get(name, now);
    // A registry that has the file of after a rotation no longer accepts the key of before.
    const { kid } = await this.#parts.keys.current();
    if (known?.kid === kid) return known.token;
    const token = await this.#sign(OURSELVES, access);
    this.#tokens.set(name, { token, kid }, 0, now);
    return token;
  }

  async #sign(subject: string, access: readonly Access[]): Promise<string> {
    const { host: service, keys, addresses } = this.#parts;
    const issuer = addresses().authUrl;
    const content = { issuer, service, subject, access, expires: Number.POSITIVE_INFINITY };
    return issueRegistryToken(await keys.current(), content, Date.now()).token;
  }

  /** It cannot be reached. */
  #fault(what: string, cause?: unknown): WharfError {
    const { host } = this.#parts;
    return new WharfError("UNAVAILABLE", `the registry ${host} ${what}`, undefined, cause);
  }
}

/** How long to wait, from seconds or a date; a second where nothing is said. */
function waitOf(after: string | undefined): number {
  const seconds = Number(after ?? 1);
  const ms = Number.isNaN(seconds) ? Date.parse(after as string) - Date.now() : seconds * 1000;
  return Math.min(Math.max(ms || 0, 0), LONGEST_WAIT_MS);
}

/** Clocks that differ by less than what an answer's date can tell count as equal. */
const SAME_CLOCK_MS = 2_000;

/** A time of ours by a registry's clock, as far as the date of its answer tells. */
function theirTime(began: number, date: string | undefined): number {
  const told = Date.parse(date ?? "");
  return Math.abs(told - began) > SAME_CLOCK_MS ? Math.min(told, began) : began;
}
