import { isUid } from "@wharf/contract";
import { readBearer } from "../lib/bearer.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { unauthenticated } from "../lib/errors.ts";
import { type MaybePromise, whenReady } from "../lib/maybe-promise.ts";
import { SharedRead } from "../store/db/read/shared-read.ts";
import type { Store } from "../store/db/store.ts";
import { type AccessLogPosition, readGrantChanges } from "../store/tables/access/access-log.ts";
import type { NamedGrants } from "./access.ts";
import { type Caller, OPERATOR_UID } from "./caller.ts";
import type { SigningKeys } from "./keys.ts";
import { callerKeyOf, type TokenVerifier, type VerifiedToken } from "./token.ts";

/** The name and current grants of an identity; undefined when the identity or the session does not exist. */
export type GrantsLookup = (identity: string, session: string) => Promise<NamedGrants | undefined>;

/** The caller that a token authenticates, its audiences and its expiry. */
export interface TokenHolder {
  readonly caller: Caller;
  readonly audiences: readonly string[];
  readonly expires: number;
}

/** The part of a token that decides who the caller is. */
type TokenSubject = Pick<VerifiedToken, "subject" | "session" | "boundary" | "callerKey">;

/** The cache of authenticated callers. */
const CACHE_BOUNDS = { maxEntries: 20_000, maxBytes: 64 * 1024 * 1024 };

/** The approximate memory of a caller, and of each scope in the caller's grants. */
const ENTRY_BYTES = 512;
const BYTES_PER_SCOPE = 512;

/** Identities whose grants have changed since the cache was empty; beyond, it is cleared. */
const MAX_CHANGED = 10_000;

/** A caller, compiled at an access version or later. */
interface CachedCaller {
  readonly caller: Caller;
  readonly version: number;
}

/**
 * Authenticates callers by bearer token. Each request reads the store's access version. When it has changed, the log of
 * changes tells which cached callers are void: those whose grants have changed, or, after any other change of access, all
 * of them. So a change of access takes effect on the next request on every replica.
 */
export class Authenticator {
  readonly #store: Store;
  readonly #keys: SigningKeys;
  readonly #verifier: TokenVerifier;
  readonly #grantsOf: GrantsLookup;
  readonly #advanced = new SharedRead(() => this.#advance());
  #callers = new BoundedCache<string, CachedCaller>(CACHE_BOUNDS);
  /** The access version at which the grants of an identity have changed last. */
  #changed = new Map<string, number>();
  #position: AccessLogPosition = { version: -1, logged: -1 };
  hits = 0;
  misses = 0;

  constructor(store: Store, keys: SigningKeys, verifier: TokenVerifier, grantsOf: GrantsLookup) {
    this.#store = store;
    this.#keys = keys;
    this.#verifier = verifier;
    this.#grantsOf = grantsOf;
  }

  /**
   * The caller of a bearer token: at once, if it is cached and the access version can be read at once. Throws or rejects
   * with UNAUTHENTICATED.
   */
  caller(authorization: string | undefined, now: number): MaybePromise<Caller> {
    const bearer = bearerOf(authorization);
    return whenReady(this.#refreshCache(), () =>
      whenReady(this.#verifier.verify(bearer, now), (token) => this.#callerOf(token)),
    );
  }

  /**
   * The cached caller of a bearer token as of the last known access version, if reading the current one is a round trip:
   * work may begin meanwhile, but `caller` decides. It returns the same object unless access has changed. Throws
   * UNAUTHENTICATED.
   */
  presumed(authorization: string | undefined, now: number): Caller | undefined {
    return this.#store.isRemote ? this.lastKnown(authorization, now) : undefined;
  }

  /** The cached caller of a bearer token as of the last known access version. Throws UNAUTHENTICATED. */
  lastKnown(authorization: string | undefined, now: number): Caller | undefined {
    const bearer = bearerOf(authorization);
    if (!this.#verifier.hasVerified(bearer)) return undefined;
    const token = this.#verifier.verify(bearer, now);
    return token instanceof Promise ? undefined : this.#cached(token);
  }

  /**
   * The holder of a token with any audience. The calling code must check the audiences.
   */
  async holder(token: string, now: number): Promise<TokenHolder> {
    await this.#refreshCache();
    const verified = await this.#verifier.verifyAnyAudience(token, now);
    const caller = await this.#callerOf(verified);
    return { caller, audiences: verified.audiences, expires: verified.expires };
  }

  /** The current caller of a token of another kind, whose verification has named its subject and session. */
  async standing(subject: string, session: string): Promise<Caller> {
    await this.#refreshCache();
    const callerKey = callerKeyOf(subject, session, undefined);
    return this.#callerOf({ subject, session, boundary: undefined, callerKey });
  }

  /** Drops cached callers when access has changed. */
  #refreshCache(): MaybePromise<void> {
    return whenReady(this.#store.accessVersion(), (version) => {
      if (version !== this.#position.version) {
        this.misses += 1;
        return this.#advanced.read();
      }
      this.hits += 1;
    });
  }

  #callerOf(token: TokenSubject): MaybePromise<Caller> {
    return this.#cached(token) ?? this.#compile(token);
  }

  async #advance(): Promise<void> {
    const { reader } = this.#store;
    const { position, changes, isOnlyGrants } = await readGrantChanges(reader, this.#position);
    const changed = isOnlyGrants ? changes?.map(({ identity }) => identity) : undefined;
    if (changed === undefined || changed.includes("") || this.#changed.size > MAX_CHANGED) {
      await this.#keys.reload();
      this.#callers = new BoundedCache(CACHE_BOUNDS);
      this.#changed = new Map();
    } else {
      for (const identity of changed) this.#changed.set(identity, position.version);
    }
    this.#position = position;
  }

  #cached({ subject, callerKey }: TokenSubject): Caller | undefined {
    const cached = this.#callers.get(callerKey);
    if (cached === undefined || (this.#changed.get(subject) ?? -1) > cached.version) return;
    const { version } = this.#position;
    if (cached.version === version || cached.caller.version === undefined) return cached.caller;
    // Nothing that concerns the caller has changed since.
    return this.#keep(callerKey, { ...cached.caller, version }, version);
  }

  async #compile(token: TokenSubject): Promise<Caller> {
    const { subject, boundary, session, callerKey } = token;
    const callers = this.#callers;
    const { version } = this.#position;
    const found = isUid(subject) ? await this.#grantsOf(subject, session) : undefined;
    if (found === undefined) throw revokedToken(session);
    const { grants, name, signedIn } = found;
    const caller: Caller = {
      uid: subject,
      ...(name !== undefined && { name }),
      grants: boundary === undefined ? grants : grants.intersect(boundary),
      isOperator: subject === OPERATOR_UID && boundary === undefined,
      boundary,
      ...(signedIn !== undefined && { signedIn }),
      ...(subject === OPERATOR_UID ? {} : { version, session }),
    };
    return this.#keep(callerKey, caller, version, callers);
  }

  #keep(callerKey: string, caller: Caller, version: number, callers = this.#callers): Caller {
    callers.set(callerKey, { caller, version }, bytesOf(callerKey, caller));
    return caller;
  }
}

function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined || authorization === "") {
    throw unauthenticated("a bearer token is required");
  }
  const bearer = readBearer(authorization);
  if (bearer === undefined) throw unauthenticated("only bearer tokens are accepted");
  return bearer;
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
