/**
 * Token issuers: which ones are trusted, and their keys. Imports lib only.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { FairShareCache } from "../../lib/fair-share-cache.ts";
import { FetchError, fetchJson } from "../../lib/net/fetch-json.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import type { IssuerPolicy } from "./issuer-policy.ts";

/** Keys are refreshed after this time. */
const FRESH_MS = 10 * 60_000;

/** Stale keys are used for this time while their issuer is unavailable. */
const STALE_MS = 24 * 3_600_000;

/** Minimum time between two fetches from an issuer, successful or not. */
const COOLDOWN_MS = 30_000;

/** Enough for thousands of issuers with a few keys each. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024;

/** Estimated memory of an issuer without keys, and of a character of its JSON key set. */
const ENTRY_BYTES = 8_192;
const BYTES_PER_CHARACTER = 4;

/**
 * Concurrent fetches from new issuers that match the same pattern. Anyone can make up issuer names that
 * match, and each one makes us open a connection.
 */
const CONCURRENCY_PER_PATTERN = 16;

/** Timeout of a fetch in the queue of its pattern: as long as for a response. */
const QUEUE_TIMEOUT_MS = 5_000;

export interface IssuersOptions {
  readonly queueTimeoutMs?: number;
  readonly maxCacheBytes?: number;
}

/** On whose behalf keys are fetched. */
export interface KeyUse {
  /** The organization whose identity or provider trusts the issuer; empty for none. */
  readonly organization: string;
  /** The pattern that the issuer matches. Bounds concurrent fetches from new issuers. */
  readonly pattern?: string | undefined;
}

interface IssuerEntry {
  keys: JWTVerifyGetKey | undefined;
  kids: ReadonlySet<string>;
  fetched: number;
  tried: number;
  failure: FetchError | undefined;
  fetching: Promise<void> | undefined;
}

/**
 * Caches the keys of token issuers. Concurrent callers share one fetch, and stale keys survive an outage
 * of their issuer. A token with an unknown key id triggers a refresh, limited by the cooldown.
 * Organizations share the cache fairly: none can evict keys that others use. Issuers without keys are
 * evicted first.
 */
export class Issuers {
  readonly #policy: IssuerPolicy;
  readonly #entries: FairShareCache<IssuerEntry>;
  readonly #newIssuers: KeyedSemaphore;

  constructor(
    policy: IssuerPolicy,
    { queueTimeoutMs = QUEUE_TIMEOUT_MS, maxCacheBytes = MAX_CACHE_BYTES }: IssuersOptions = {},
  ) {
    this.#policy = policy;
    this.#newIssuers = new KeyedSemaphore({
      perKey: CONCURRENCY_PER_PATTERN,
      maxWaitMs: queueTimeoutMs,
      rejection: () => new FetchError("too many new issuers match the same pattern: try again"),
    });
    this.#entries = new FairShareCache(maxCacheBytes, ({ keys }) => keys === undefined);
  }

  /**
   * The keys to verify a token with. Rejects with a FetchError if there are none. `now` is monotonic: a clock that is
   * set back must not keep keys that the issuer has withdrawn.
   */
  async keysOf(
    issuer: string,
    kid: string | undefined,
    now: number,
    use: KeyUse,
  ): Promise<JWTVerifyGetKey> {
    const entry = this.#entry(issuer, use);
    const fresh = entry.keys !== undefined && now - entry.fetched < FRESH_MS;
    const unknownKey = kid !== undefined && !entry.kids.has(kid);
    if (!fresh || unknownKey) await this.#refresh(issuer, entry, now, use);
    if (entry.keys !== undefined && now - entry.fetched < STALE_MS) return entry.keys;
    throw entry.failure ?? new FetchError("it cannot be reached");
  }

  async #refresh(issuer: string, entry: IssuerEntry, now: number, use: KeyUse): Promise<void> {
    const isCoolingDown = () => entry.fetching === undefined && now - entry.tried < COOLDOWN_MS;
    const fetched = async () => {
      // Another caller may have fetched the keys while this one was queued.
      if (isCoolingDown()) return;
      entry.fetching ??= this.#fetch(issuer, entry, now, use).finally(() => {
        entry.fetching = undefined;
      });
      await entry.fetching;
    };
    if (isCoolingDown()) return;
    // An issuer with keys is genuine, so its refresh is not queued.
    const isNew = entry.keys === undefined && entry.fetching === undefined;
    const { pattern } = use;
    await (isNew && pattern !== undefined ? this.#newIssuers.run(pattern, fetched) : fetched());
  }

  async #fetch(issuer: string, entry: IssuerEntry, now: number, use: KeyUse): Promise<void> {
    entry.tried = now;
    try {
      const keys = await discoverKeys(issuer, this.#policy);
      entry.keys = createLocalJWKSet(keys);
      entry.kids = new Set(keys.keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])));
      entry.fetched = now;
      entry.failure = undefined;
      const bytes = ENTRY_BYTES + BYTES_PER_CHARACTER * JSON.stringify(keys).length;
      this.#entries.set(issuer, entry, bytes, use.organization);
    } catch (error) {
      entry.failure =
        error instanceof FetchError
          ? error
          : new FetchError("its keys cannot be read", { cause: error });
    }
  }

  #entry(issuer: string, { organization }: KeyUse): IssuerEntry {
    let entry = this.#entries.get(issuer, organization);
    if (entry === undefined) {
      entry = {
        keys: undefined,
        kids: new Set(),
        fetched: Number.NEGATIVE_INFINITY,
        tried: Number.NEGATIVE_INFINITY,
        failure: undefined,
        fetching: undefined,
      };
      this.#entries.set(issuer, entry, ENTRY_BYTES, organization);
    }
    return entry;
  }
}

async function discoverKeys(issuer: string, policy: IssuerPolicy): Promise<JSONWebKeySet> {
  const discovery = await fetchJson(discoveryUrl(issuer), {
    anywhere: policy.mayBePrivate(issuer),
  });
  const { issuer: claimed, jwks_uri: jwksUri } = (discovery ?? {}) as {
    issuer?: unknown;
    jwks_uri?: unknown;
  };
  if (claimed !== issuer) throw new FetchError("its discovery document names another issuer");
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
