import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Identity } from "@wharf/contract";
import { OPERATOR, OPERATOR_UID } from "../auth/caller.ts";
import type { Grants } from "../auth/grants.ts";
import type { Addresses } from "../config/addresses.ts";
import type { ResourceAccess } from "../engine/catalog.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { compileRule, type Rule } from "./verify/rule.ts";

/** Bounds memory: the patterns of an identity can be long. */
const CACHE_BOUNDS = { maxEntries: 1_000 };

/** An identity as the exchange needs it. */
export interface CachedIdentity {
  readonly uid: string;
  readonly name: string;
  readonly relationship: Identity["relationship"]["case"];
  /** The rule for credentials; undefined if no foreign credential can speak for the identity. */
  readonly rule: Rule | undefined;
  /** The grants of its role bindings. */
  readonly granted: Grants;
  /** The time at which this process last saw it; 0 for never. */
  lastSeen: number;
}

/** The operator is not stored, and only its own tokens speak for it. */
const CACHED_OPERATOR: CachedIdentity = {
  uid: OPERATOR_UID,
  name: "operator",
  relationship: undefined,
  rule: undefined,
  granted: OPERATOR.grants,
  lastSeen: Number.POSITIVE_INFINITY,
};

/**
 * Caches identities with their compiled rules and their grants. Any change of an identity, a role or a
 * binding increments the store's access version, which invalidates the whole cache.
 */
export class IdentityCache {
  readonly #deps: ResourceAccess;
  readonly #addresses: () => Addresses;
  #entries = new BoundedCache<string, CachedIdentity>(CACHE_BOUNDS);
  #version = -1;

  constructor(deps: ResourceAccess, addresses: () => Addresses) {
    this.#deps = deps;
    this.#addresses = addresses;
  }

  /** The identity in its current state; undefined if it does not exist. */
  async find(uid: string): Promise<CachedIdentity | undefined> {
    if (uid === OPERATOR_UID) return CACHED_OPERATOR;
    const version = await this.#deps.store.accessVersion();
    if (version !== this.#version) {
      this.#entries = new BoundedCache(CACHE_BOUNDS);
      this.#version = version;
    }
    return this.#entries.get(uid) ?? this.#load(uid, this.#entries);
  }

  /** Loads into a cache: if the version changes meanwhile, the entry is dropped with it. */
  async #load(
    uid: string,
    entries: BoundedCache<string, CachedIdentity>,
  ): Promise<CachedIdentity | undefined> {
    const {
      store,
      catalog: { identities },
    } = this.#deps;
    const identity = await identities.find(store.reader, uid);
    const granted = await this.#deps.access.grantsOf(uid);
    if (identity === undefined || granted === undefined) return undefined;
    const entry: CachedIdentity = {
      uid,
      name: identity.name,
      relationship: identity.relationship.case,
      rule: compileRule(identity, acceptedAudiences(this.#addresses())),
      granted,
      lastSeen: lastSeenOf(identity),
    };
    entries.set(uid, entry);
    return entry;
  }
}

/** New identities have `lastSeenTime` set to their creation time, which does not count. */
function lastSeenOf({ lastSeenTime, createTime }: Identity): number {
  if (lastSeenTime === undefined) return 0;
  const seen = timestampMs(lastSeenTime);
  return createTime !== undefined && timestampMs(createTime) === seen ? 0 : seen;
}

/** The audiences that tokens must have if an identity names none: this installation as an issuer. */
export function acceptedAudiences({ authUrl }: Addresses): string[] {
  const { host, hostname } = new URL(authUrl);
  return [hostname, host, authUrl];
}
