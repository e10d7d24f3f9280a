import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Identity } from "@wharf/contract";
import { OPERATOR, OPERATOR_UID } from "../auth/caller.ts";
import type { Grants } from "../auth/grants.ts";
import type { Addresses } from "../config/addresses.ts";
import type { Engine } from "../engine/engine.ts";
import { compileRule, type Rule } from "./verify/rule.ts";

/** Identities kept ready at most: patterns can be long. */
const REMEMBERED = 1_000;

/** An identity as the exchange needs it. */
export interface CachedIdentity {
  readonly uid: string;
  /** Which of the relationships it has. */
  readonly relationship: Identity["relationship"]["case"];
  /** What it asks of tokens; undefined where none can speak for it. */
  readonly rule: Rule | undefined;
  /** What its role bindings grant it. */
  readonly granted: Grants;
  /** When it was last seen, as far as this process knows; 0 for never. */
  lastSeen: number;
}

/** Not stored, so never seen; no token but their own speaks for them. */
const THE_OPERATOR: CachedIdentity = {
  uid: OPERATOR_UID,
  relationship: undefined,
  rule: undefined,
  granted: OPERATOR.grants,
  lastSeen: Number.POSITIVE_INFINITY,
};

/**
 * Identities with their rules compiled and their grants looked up. They are used again only while
 * the store's access version stands still: changing an identity, a role or a binding moves it.
 */
export class IdentityCache {
  readonly #engine: Engine;
  readonly #addresses: () => Addresses;
  #known = new Map<string, CachedIdentity>();
  #version = -1;

  constructor(engine: Engine, addresses: () => Addresses) {
    this.#engine = engine;
    this.#addresses = addresses;
  }

  /** The identity as it is now; undefined when there is none. */
  async find(uid: string): Promise<CachedIdentity | undefined> {
    if (uid === OPERATOR_UID) return THE_OPERATOR;
    const version = await this.#engine.store.accessVersion();
    if (version !== this.#version) {
      this.#known = new Map();
      this.#version = version;
    }
    return this.#known.get(uid) ?? this.#load(uid, this.#known);
  }

  async #load(
    uid: string,
    known: Map<string, CachedIdentity>,
  ): Promise<CachedIdentity | undefined> {
    const { identities, store } = this.#engine;
    const identity = await identities.find(store.reader, uid);
    const granted = await this.#engine.grantsOf(uid);
    if (identity === undefined || granted === undefined) return undefined;
    const found: CachedIdentity = {
      uid,
      relationship: identity.relationship.case,
      rule: compileRule(identity, acceptedAudiences(this.#addresses())),
      granted,
      lastSeen: lastSeenOf(identity),
    };
    if (known.size < REMEMBERED) known.set(uid, found);
    return found;
  }
}

/** A new identity has the time when it was made. */
function lastSeenOf({ lastSeenTime, createTime }: Identity): number {
  if (lastSeenTime === undefined) return 0;
  const seen = timestampMs(lastSeenTime);
  return createTime !== undefined && timestampMs(createTime) === seen ? 0 : seen;
}

/** The audiences of tokens that are meant for us, where an identity names none. */
export function acceptedAudiences({ authUrl }: Addresses): string[] {
  const { host, hostname } = new URL(authUrl);
  return [hostname, host, authUrl];
}
