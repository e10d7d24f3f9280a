import { isUid } from "@wharf/contract";
import { readBearer } from "../lib/bearer.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { unauthenticated } from "../lib/errors.ts";
import type { Store } from "../store/db/store.ts";
import type { NamedGrants } from "./access.ts";
import { type Caller, OPERATOR_UID } from "./caller.ts";
import type { SigningKeys } from "./keys.ts";
import type { TokenVerifier, VerifiedToken } from "./token.ts";

/** The name and current grants of an identity; undefined when the identity or the session does not exist. */
export type GrantsLookup = (identity: string, session: string) => Promise<NamedGrants | undefined>;

/** The caller that a token authenticates, its audiences and its expiry. */
export interface TokenHolder {
  readonly caller: Caller;
  readonly audiences: readonly string[];
  readonly expires: number;
}

/** The cache of authenticated callers. */
const CACHE_BOUNDS = { maxEntries: 20_000, maxBytes: 64 * 1024 * 1024 };

/** The approximate memory of a caller, and of each scope in the caller's grants. */
const ENTRY_BYTES = 512;
const BYTES_PER_SCOPE = 512;

/**
 * Authenticates callers by bearer token. Cached callers are valid only while the store's access version
 * stays the same, so a change of access takes effect on the next request on every replica.
 */
export class Authenticator {
  readonly #store: Store;
  readonly #keys: SigningKeys;
  readonly #verifier: TokenVerifier;
  readonly #grantsOf: GrantsLookup;
  #callers = new BoundedCache<string, Caller>(CACHE_BOUNDS);
  #version = -1;
  hits = 0;
  misses = 0;

  constructor(store: Store, keys: SigningKeys, verifier: TokenVerifier, grantsOf: GrantsLookup) {
    this.#store = store;
    this.#keys = keys;
    this.#verifier = verifier;
    this.#grantsOf = grantsOf;
  }

  async caller(authorization: string | undefined, now: number): Promise<Caller> {
    if (authorization === undefined || authorization === "") {
      throw unauthenticated("a bearer token is required");
    }
    const bearer = readBearer(authorization);
    if (bearer === undefined) throw unauthenticated("only bearer tokens are accepted");
    await this.#refreshCache(await this.#store.accessVersion());
    const token = await this.#verifier.verify(bearer, now);
    return this.#callers.get(token.callerKey) ?? this.#compile(token);
  }

  /**
   * Rejects invalid credentials before the body of a request is read. Undefined, without a read of the
   * store, for a token that was accepted recently: every call authenticates again with `caller`, which
   * notices what has changed since.
   */
  admit(authorization: string | undefined, now: number): Promise<Caller> | undefined {
    const token = this.#verifier.cached(readBearer(authorization) ?? "", now);
    if (token !== undefined && this.#callers.has(token.callerKey)) return undefined;
    return this.caller(authorization, now);
  }

  /**
   * The holder of a token with any audience. The calling code must check the audiences.
   */
  async holder(token: string, now: number): Promise<TokenHolder> {
    await this.#refreshCache(await this.#store.accessVersion());
    const verified = await this.#verifier.verifyAnyAudience(token, now);
    const caller = this.#callers.get(verified.callerKey) ?? (await this.#compile(verified));
    return { caller, audiences: verified.audiences, expires: verified.expires };
  }

  /** Drops cached callers when access has changed. Undefined when it has not, as on most requests. */
  #refreshCache(version: number): Promise<void> | undefined {
    if (version === this.#version) {
      this.hits += 1;
      return undefined;
    }
    this.misses += 1;
    return this.#clearCache(version);
  }

  async #clearCache(version: number): Promise<void> {
    await this.#keys.reload();
    this.#callers = new BoundedCache(CACHE_BOUNDS);
    this.#version = version;
  }

  async #compile({ subject, boundary, session, callerKey }: VerifiedToken): Promise<Caller> {
    const callers = this.#callers;
    const version = this.#version;
    const found = isUid(subject) ? await this.#grantsOf(subject, session) : undefined;
    if (found === undefined) throw revokedToken(session);
    const { grants, name } = found;
    const caller: Caller = {
      uid: subject,
      ...(name !== undefined && { name }),
      grants: boundary === undefined ? grants : grants.intersect(boundary),
      isOperator: subject === OPERATOR_UID && boundary === undefined,
      boundary,
      ...(subject === OPERATOR_UID ? {} : { version, session }),
    };
    callers.set(callerKey, caller, bytesOf(callerKey, caller));
    return caller;
  }
}

function bytesOf(callerKey: string, { grants, boundary }: Caller): number {
  const scopes = grants.size + (boundary?.size ?? 0);
  return ENTRY_BYTES + 2 * callerKey.length + BYTES_PER_SCOPE * scopes;
}

/** The error for a token whose identity was deleted, or whose session has expired or was revoked. */
export function revokedToken(session: string | undefined): Error {
  return unauthenticated(
    session
      ? "the token's session has expired or was revoked, or its identity does not exist"
      : "the token's identity does not exist",
  );
}
