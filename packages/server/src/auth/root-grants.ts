import { type Capability, CapabilitySet, isSelfOrBelow } from "@wharf/contract";

/**
 * The capabilities of a caller within one root, by scope. A grant at a scope covers everything below it;
 * the set of a scope includes what is inherited from its ancestors, so a check ends at the nearest scope.
 * Immutable: grants that differ in one root share those of all others.
 */
export class RootGrants {
  static readonly NONE = new RootGrants(new Map(), new Map());

  /** Ordered by uid: a scope comes right before the scopes below it. */
  readonly #sets: ReadonlyMap<string, CapabilitySet>;
  /** Capabilities granted at each scope itself, without inherited ones. */
  readonly #own: ReadonlyMap<string, CapabilitySet>;
  readonly #topmost = new Map<string, readonly string[]>();

  private constructor(
    sets: ReadonlyMap<string, CapabilitySet>,
    own: ReadonlyMap<string, CapabilitySet>,
  ) {
    this.#sets = sets;
    this.#own = own;
  }

  /** From the grants at each scope itself. */
  static of(own: ReadonlyMap<string, CapabilitySet>): RootGrants {
    const unions = new Unions();
    const sets = new Map<string, CapabilitySet>();
    const above: (readonly [uid: string, set: CapabilitySet])[] = [];
    for (const uid of [...own.keys()].sort()) {
      while (above.length > 0 && !isSelfOrBelow(uid, above.at(-1)?.[0] ?? "")) above.pop();
      const granted = own.get(uid) ?? CapabilitySet.EMPTY;
      const inherited = above.at(-1)?.[1];
      const all = inherited === undefined ? granted : unions.of(inherited, granted);
      sets.set(uid, all);
      above.push([uid, all]);
    }
    return new RootGrants(sets, own);
  }

  /** Only the grants that were made at matching scopes. */
  where(counts: (scope: string) => boolean): RootGrants {
    const own = [...this.#own].filter(([scope]) => counts(scope));
    return own.length === this.#own.size ? this : RootGrants.of(new Map(own));
  }

  get size(): number {
    return this.#sets.size;
  }

  /** Every scope with grants of its own, with all capabilities there, inherited ones included. */
  get entries(): Iterable<readonly [uid: string, set: CapabilitySet]> {
    return this.#sets;
  }

  get scopes(): Iterable<string> {
    return this.#sets.keys();
  }

  /** All capabilities at a scope. */
  heldAt(uid: string): CapabilitySet {
    for (let scope = uid; ; scope = scope.slice(0, scope.lastIndexOf("/"))) {
      const set = this.#sets.get(scope);
      if (set !== undefined) return set;
      if (!scope.includes("/")) return CapabilitySet.EMPTY;
    }
  }

  /** The topmost scopes with all of these capabilities, or with any if none are named. */
  topmost(capabilities: readonly Capability[]): readonly string[] {
    const key = capabilities.join();
    let found = this.#topmost.get(key);
    if (found === undefined) {
      found = this.#findTopmost(capabilities);
      this.#topmost.set(key, found);
    }
    return found;
  }

  #findTopmost(capabilities: readonly Capability[]): string[] {
    const found: string[] = [];
    const cache = new Map<CapabilitySet, boolean>();
    for (const [uid, set] of this.#sets) {
      const last = found.at(-1);
      if (last !== undefined && isSelfOrBelow(uid, last)) continue;
      let suffices = cache.get(set);
      if (suffices === undefined) {
        suffices = !set.isEmpty && set.hasAll(capabilities);
        cache.set(set, suffices);
      }
      if (suffices) found.push(uid);
    }
    return found;
  }
}

/** Memoized unions: thousands of scopes mostly share a few roles. */
class Unions {
  readonly #made = new Map<CapabilitySet, Map<CapabilitySet, CapabilitySet>>();

  of(a: CapabilitySet, b: CapabilitySet): CapabilitySet {
    if (a === b || a.hasAll(b)) return a;
    const withA = this.#made.get(a) ?? new Map<CapabilitySet, CapabilitySet>();
    this.#made.set(a, withA);
    const union = withA.get(b) ?? a.union(b);
    withA.set(b, union);
    return union;
  }
}
