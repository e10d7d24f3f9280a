import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { FetchError, fetchJson } from "./fetch-json.ts";
import type { IssuerPolicy } from "./issuer-policy.ts";
import { Turns } from "./turns.ts";

/** Keys are fetched again after this long. */
const FRESH_MS = 10 * 60_000;

/** And kept for this long while their issuer does not answer. */
const STALE_MS = 24 * 3_600_000;

/** After a fetch, successful or not, an issuer is left alone for this long, whatever comes. */
const COOLDOWN_MS = 30_000;

/** Issuers remembered at most. */
const REMEMBERED = 1_000;

/**
 * New issuers asked at once that one pattern lets in. Anyone can make up names that it matches, and
 * each would have us open a connection.
 */
const AT_ONCE = 16;

/** How long one waits for that: as long as for an answer. */
const PATIENCE_MS = 5_000;

interface Known {
  keys: JWTVerifyGetKey | undefined;
  kids: ReadonlySet<string>;
  fetched: number;
  tried: number;
  failure: FetchError | undefined;
  fetching: Promise<void> | undefined;
}

/**
 * The keys of the issuers whose tokens identities trust. One fetch serves everyone who waits for
 * it; keys outlive outages of their issuer; a token with a key that nobody knows makes us look
 * again, but not more often than the cool-down allows. Issuers that do not answer are forgotten
 * before those that do.
 */
export class Issuers {
  readonly #policy: IssuerPolicy;
  /** Those first whose keys were fetched the longest ago. */
  readonly #known = new Map<string, Known>();
  readonly #turns: Turns;

  constructor(policy: IssuerPolicy, patienceMs = PATIENCE_MS) {
    this.#policy = policy;
    this.#turns = new Turns(AT_ONCE, patienceMs);
  }

  /**
   * The keys to verify a token with. Rejects with a FetchError when none can be had. Where a pattern
   * lets the issuer in, that is `among`: those of one pattern wait for each other.
   *
   * @example await jwtVerify(token, await issuers.keysOf(issuer, header.kid, Date.now()), …);
   */
  async keysOf(
    issuer: string,
    kid: string | undefined,
    now: number,
    among?: string,
  ): Promise<JWTVerifyGetKey> {
    const known = this.#entry(issuer);
    const fresh = known.keys !== undefined && now - known.fetched < FRESH_MS;
    const unknownKey = kid !== undefined && !known.kids.has(kid);
    if (!fresh || unknownKey) await this.#refresh(issuer, known, now, among);
    if (known.keys !== undefined && now - known.fetched < STALE_MS) return known.keys;
    throw known.failure ?? new FetchError("it cannot be reached");
  }

  async #refresh(issuer: string, known: Known, now: number, among?: string): Promise<void> {
    const isLeftAlone = () => known.fetching === undefined && now - known.tried < COOLDOWN_MS;
    const fetched = async () => {
      // Others may have asked while this one waited for its turn.
      if (isLeftAlone()) return;
      known.fetching ??= this.#fetch(issuer, known, now).finally(() => {
        known.fetching = undefined;
      });
      await known.fetching;
    };
    if (isLeftAlone()) return;
    // Whoever has answered before is not made up, and waits for nobody.
    const isNew = known.keys === undefined && known.fetching === undefined;
    await (isNew && among !== undefined ? this.#turns.take(among, fetched) : fetched());
  }

  async #fetch(issuer: string, known: Known, now: number): Promise<void> {
    known.tried = now;
    try {
      const keys = await discoverKeys(issuer, this.#policy);
      known.keys = createLocalJWKSet(keys);
      known.kids = new Set(keys.keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])));
      known.fetched = now;
      known.failure = undefined;
      this.#remember(issuer, known);
    } catch (error) {
      known.failure =
        error instanceof FetchError
          ? error
          : new FetchError("its keys cannot be read", { cause: error });
    }
  }

  #entry(issuer: string): Known {
    let known = this.#known.get(issuer);
    if (known === undefined) {
      known = {
        keys: undefined,
        kids: new Set(),
        fetched: 0,
        tried: 0,
        failure: undefined,
        fetching: undefined,
      };
      this.#remember(issuer, known);
    }
    return known;
  }

  /** Puts an issuer last; when there are too many, the first without keys goes, or else the first. */
  #remember(issuer: string, known: Known): void {
    this.#known.delete(issuer);
    if (this.#known.size >= REMEMBERED) {
      const [first] = this.#known.keys();
      const keyless = this.#known.entries().find(([, { keys }]) => keys === undefined);
      this.#known.delete(keyless?.[0] ?? (first as string));
    }
    this.#known.set(issuer, known);
  }
}

async function discoverKeys(issuer: string, policy: IssuerPolicy): Promise<JSONWebKeySet> {
  const discovery = await fetchJson(discoveryUrl(issuer), {
    anywhere: policy.mayBeAnywhere(issuer),
  });
  const { issuer: says, jwks_uri: jwksUri } = (discovery ?? {}) as {
    issuer?: unknown;
    jwks_uri?: unknown;
  };
  if (says !== issuer) throw new FetchError("its discovery document is another issuer's");
  const url = typeof jwksUri === "string" ? URL.parse(jwksUri) : null;
  if (url === null) throw new FetchError("its discovery document has no key set");
  const keys = await fetchJson(url, { anywhere: policy.mayBeAnywhere(url.href, issuer) });
  if (!Array.isArray((keys as { keys?: unknown } | null)?.keys))
    throw new FetchError("its key set has no keys");
  return keys as JSONWebKeySet;
}

function discoveryUrl(issuer: string): URL {
  const url = URL.parse(`${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`);
  if (url === null) throw new FetchError("it is not a URL");
  return url;
}
