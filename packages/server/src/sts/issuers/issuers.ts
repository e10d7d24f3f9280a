import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { FairShareCache } from "../../lib/fair-share-cache.ts";
import { FetchError, fetchJson } from "../../lib/fetch-json.ts";
import type { IssuerPolicy } from "./issuer-policy.ts";
import { Turns } from "./turns.ts";

/** Keys are fetched again after this long. */
const FRESH_MS = 10 * 60_000;

/** And kept for this long while their issuer does not answer. */
const STALE_MS = 24 * 3_600_000;

/** After a fetch, successful or not, an issuer is left alone for this long, whatever comes. */
const COOLDOWN_MS = 30_000;

/** Some thousand issuers with a few keys each. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024;

/** What an issuer without keys takes, and how much more keys take than their JSON. */
const ENTRY_BYTES = 8_192;
const BYTES_PER_CHARACTER = 4;

/**
 * New issuers asked at once that one pattern lets in. Anyone can make up names that it matches, and
 * each would have us open a connection.
 */
const AT_ONCE = 16;

/** How long one waits for that: as long as for an answer. */
const WAIT_MS = 5_000;

export interface IssuersOptions {
  readonly waitMs?: number;
  readonly maxCacheBytes?: number;
}

/** For whom keys are wanted. */
export interface KeyUse {
  /** The organization whose identity or provider trusts the issuer; empty if there is none. */
  readonly organization: string;
  /** The pattern that lets the issuer in: new issuers of one pattern wait for each other. */
  readonly pattern?: string | undefined;
}

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
 * again, but not more often than the cool-down allows. Organizations share the cache fairly: none can
 * displace the keys that others use. Issuers without keys are dropped before those with keys.
 */
export class Issuers {
  readonly #policy: IssuerPolicy;
  readonly #known: FairShareCache<Known>;
  readonly #turns: Turns;

  constructor(
    policy: IssuerPolicy,
    { waitMs = WAIT_MS, maxCacheBytes = MAX_CACHE_BYTES }: IssuersOptions = {},
  ) {
    this.#policy = policy;
    this.#turns = new Turns(AT_ONCE, waitMs);
    this.#known = new FairShareCache(maxCacheBytes, ({ keys }) => keys === undefined);
  }

  /** The keys to verify a token with. Rejects with a FetchError when none can be had. */
  async keysOf(
    issuer: string,
    kid: string | undefined,
    now: number,
    use: KeyUse,
  ): Promise<JWTVerifyGetKey> {
    const known = this.#entry(issuer, use);
    const fresh = known.keys !== undefined && now - known.fetched < FRESH_MS;
    const unknownKey = kid !== undefined && !known.kids.has(kid);
    if (!fresh || unknownKey) await this.#refresh(issuer, known, now, use);
    if (known.keys !== undefined && now - known.fetched < STALE_MS) return known.keys;
    throw known.failure ?? new FetchError("it cannot be reached");
  }

  async #refresh(issuer: string, known: Known, now: number, use: KeyUse): Promise<void> {
    const isLeftAlone = () => known.fetching === undefined && now - known.tried < COOLDOWN_MS;
    const fetched = async () => {
      // Others may have asked while this one waited for its turn.
      if (isLeftAlone()) return;
      known.fetching ??= this.#fetch(issuer, known, now, use).finally(() => {
        known.fetching = undefined;
      });
      await known.fetching;
    };
    if (isLeftAlone()) return;
    // Whoever has answered before is not made up, and waits for nobody.
    const isNew = known.keys === undefined && known.fetching === undefined;
    const { pattern } = use;
    await (isNew && pattern !== undefined ? this.#turns.take(pattern, fetched) : fetched());
  }

  async #fetch(issuer: string, known: Known, now: number, use: KeyUse): Promise<void> {
    known.tried = now;
    try {
      const keys = await discoverKeys(issuer, this.#policy);
      known.keys = createLocalJWKSet(keys);
      known.kids = new Set(keys.keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])));
      known.fetched = now;
      known.failure = undefined;
      const bytes = ENTRY_BYTES + BYTES_PER_CHARACTER * JSON.stringify(keys).length;
      this.#known.set(issuer, known, bytes, use.organization);
    } catch (error) {
      known.failure =
        error instanceof FetchError
          ? error
          : new FetchError("its keys cannot be read", { cause: error });
    }
  }

  #entry(issuer: string, { organization }: KeyUse): Known {
    let known = this.#known.get(issuer, organization);
    if (known === undefined) {
      known = {
        keys: undefined,
        kids: new Set(),
        fetched: 0,
        tried: 0,
        failure: undefined,
        fetching: undefined,
      };
      this.#known.set(issuer, known, ENTRY_BYTES, organization);
    }
    return known;
  }
}

async function discoverKeys(issuer: string, policy: IssuerPolicy): Promise<JSONWebKeySet> {
  const discovery = await fetchJson(discoveryUrl(issuer), {
    anywhere: policy.mayBePrivate(issuer),
  });
  const { issuer: says, jwks_uri: jwksUri } = (discovery ?? {}) as {
    issuer?: unknown;
    jwks_uri?: unknown;
  };
  if (says !== issuer) throw new FetchError("its discovery document is another issuer's");
  const url = typeof jwksUri === "string" ? URL.parse(jwksUri) : null;
  if (url === null) throw new FetchError("its discovery document has no key set");
  const keys = await fetchJson(url, { anywhere: policy.mayBePrivate(url.href, issuer) });
  if (!Array.isArray((keys as { keys?: unknown } | null)?.keys))
    throw new FetchError("its key set has no keys");
  return keys as JSONWebKeySet;
}

function discoveryUrl(issuer: string): URL {
  const url = URL.parse(`${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`);
  if (url === null) throw new FetchError("it is not a URL");
  return url;
}
