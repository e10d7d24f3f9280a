import { isUid } from "@wharf/contract";
import { readBearer } from "../lib/bearer.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { unauthenticated } from "../lib/errors.ts";
import type { Store } from "../store/db/store.ts";
import { type Caller, OPERATOR_UID } from "./caller.ts";
import type { Grants } from "./grants.ts";
import type { SigningKeys } from "./keys.ts";
import type { TokenVerifier, VerifiedToken } from "./token.ts";

/** What is granted to an identity now; undefined when there is no such identity, or session. */
export type GrantsLookup = (identity: string, session: string) => Promise<Grants | undefined>;

/** Whom a token speaks for, whom it is meant for, and until when. */
export interface TokenHolder {
  readonly caller: Caller;
  readonly audiences: readonly string[];
  readonly expires: number;
}

/** Callers kept ready. */
const CACHE_BOUNDS = { maxEntries: 20_000, maxBytes: 64 * 1024 * 1024 };

/** What a caller takes, and each place at which they hold something. */
const ENTRY_BYTES = 512;
const BYTES_PER_PLACE = 512;

/**
 * Turns a credential into a caller. What was compiled for a caller is used again only while the
 * store's access version stands still, so a change is felt by the next request on every replica.
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

  /**
   * @example const caller = await authenticator.caller("Bearer eyJhbGciOi…", Date.now());
   */
  async caller(authorization: string | undefined, now: number): Promise<Caller> {
    if (authorization === undefined || authorization === "") {
      throw unauthenticated("a bearer token is required");
    }
    const bearer = readBearer(authorization);
    if (bearer === undefined) throw unauthenticated("only bearer tokens are accepted");
    await this.#catchUp(await this.#store.accessVersion());
    const token = await this.#verifier.verify(bearer, now);
    return this.#callers.get(token.callerKey) ?? this.#compile(token);
  }

  /**
   * Rejects credentials that no call would be accepted with, so that its body need not be read.
   * Undefined, without asking the store, for a token that was accepted lately: what has changed since
   * is for `caller` to find, which every call comes by.
   *
   * @example await authenticator.admit(headers.authorization, Date.now());
   */
  admit(authorization: string | undefined, now: number): Promise<Caller> | undefined {
    const token = this.#verifier.cached(readBearer(authorization) ?? "", now);
    if (token !== undefined && this.#callers.has(token.callerKey)) return undefined;
    return this.caller(authorization, now);
  }

  /**
   * Whom a token of ours speaks for, whatever its audience. Whoever calls this must check the
   * audiences.
   *
   * @example const { caller, audiences } = await authenticator.holder(password, Date.now());
   */
  async holder(token: string, now: number): Promise<TokenHolder> {
    await this.#catchUp(await this.#store.accessVersion());
    const verified = await this.#verifier.verifyAnyAudience(token, now);
    const caller = this.#callers.get(verified.callerKey) ?? (await this.#compile(verified));
    return { caller, audiences: verified.audiences, expires: verified.expires };
  }

  /** Undefined when there is nothing to catch up on, as almost always: every request comes by here. */
  #catchUp(version: number): Promise<void> | undefined {
    if (version === this.#version) {
      this.hits += 1;
      return undefined;
    }
    this.misses += 1;
    return this.#forget(version);
  }

  async #forget(version: number): Promise<void> {
    await this.#keys.reload();
    this.#callers = new BoundedCache(CACHE_BOUNDS);
    this.#version = version;
  }

  async #compile({ subject, boundary, session, callerKey }: VerifiedToken): Promise<Caller> {
    const callers = this.#callers;
    const version = this.#version;
    const granted = isUid(subject) ? await this.#grantsOf(subject, session) : undefined;
    if (granted === undefined) throw revokedToken(session);
    const caller: Caller = {
      uid: subject,
      grants: boundary === undefined ? granted : granted.intersect(boundary),
      isOperator: subject === OPERATOR_UID && boundary === undefined,
      boundary,
      ...(subject === OPERATOR_UID ? {} : { version, session }),
    };
    callers.set(callerKey, caller, bytesOf(callerKey, caller));
    return caller;
  }
}

function bytesOf(callerKey: string, { grants, boundary }: Caller): number {
  const places = grants.size + (boundary?.size ?? 0);
  return ENTRY_BYTES + 2 * callerKey.length + BYTES_PER_PLACE * places;
}

/**
 * The refusal of a token whose identity is gone, or whose session has ended.
 *
 * @example if (granted === undefined) throw hasEnded(token.session);
 */
export function revokedToken(session: string | undefined): Error {
  return unauthenticated(
    session
      ? "the token's session has ended, or its identity does not exist"
      : "the token's identity does not exist",
  );
}
