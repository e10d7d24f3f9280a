import { ancestorsOf, type Capability, CapabilitySet } from "@wharf/contract";

/** The parts of the tree in which a caller holds something: everywhere, or below these places. */
export type Reach = { readonly everything: true } | { readonly places: readonly string[] };

/**
 * What one caller holds, place by place. A grant at a place covers everything below it; the set
 * kept for a place already includes what its ancestors grant, so a check ends at the nearest one.
 */
export class Grants {
  static readonly NONE = new Grants(new Map());

  readonly #held: ReadonlyMap<string, CapabilitySet>;
  readonly #everywhere: CapabilitySet;
  readonly #reach = new Map<string, Reach>();

  private constructor(held: ReadonlyMap<string, CapabilitySet>, everywhere = CapabilitySet.EMPTY) {
    this.#held = held;
    this.#everywhere = everywhere;
  }

  /**
   * @example const grants = Grants.at([["<organisation uid>", viewer]]);
   */
  static at(entries: Iterable<readonly [uid: string, held: CapabilitySet]>): Grants {
    const own = new Map<string, CapabilitySet>();
    for (const [uid, held] of entries) own.set(uid, own.get(uid)?.union(held) ?? held);
    const withInherited = new Map<string, CapabilitySet>();
    for (const [uid, held] of own) {
      const inherited = ancestorsOf(uid).map((above) => own.get(above) ?? CapabilitySet.EMPTY);
      withInherited.set(
        uid,
        inherited.reduce((sum, more) => sum.union(more), held),
      );
    }
    return new Grants(withInherited);
  }

  /** Grants that hold on everything there is and will be. */
  static everywhere(held: CapabilitySet): Grants {
    return new Grants(new Map(), held);
  }

  /**
   * What remains of these grants within a limit: at each place, what both hold there.
   *
   * @example const caller = granted.within(limitOfToken);
   */
  within(limit: Grants): Grants {
    const places = new Set([...this.#held.keys(), ...limit.#held.keys()]);
    const held = [...places].map(
      (uid) => [uid, this.heldAt(uid).intersect(limit.heldAt(uid))] as const,
    );
    return new Grants(new Map(held), this.#everywhere.intersect(limit.#everywhere));
  }

  /** Every place with grants of its own, and all that is held there. */
  get entries(): ReadonlyMap<string, CapabilitySet> {
    return this.#held;
  }

  /** Everything that is held at a place. */
  heldAt(uid: string): CapabilitySet {
    if (!this.#everywhere.isEmpty) return this.#everywhere;
    for (let place = uid; ; place = place.slice(0, place.lastIndexOf("/"))) {
      const held = this.#held.get(place);
      if (held !== undefined) return held;
      if (!place.includes("/")) return CapabilitySet.EMPTY;
    }
  }

  /**
   * @example if (!grants.holds([Capability.CAP_IAM_GROUPS_UPDATE], uid)) throw …
   */
  holds(capabilities: readonly Capability[] | CapabilitySet, uid: string): boolean {
    return this.heldAt(uid).hasAll(capabilities);
  }

  /** Where all of these are held, as the fewest places that cover it; where anything is, if none are named. */
  reach(capabilities: readonly Capability[]): Reach {
    if (!this.#everywhere.isEmpty) {
      return this.#everywhere.hasAll(capabilities) ? { everything: true } : { places: [] };
    }
    const key = capabilities.join();
    let reach = this.#reach.get(key);
    if (reach === undefined) {
      reach = { places: this.#topmost(capabilities) };
      this.#reach.set(key, reach);
    }
    return reach;
  }

  #topmost(capabilities: readonly Capability[]): string[] {
    const within = (uid: string) => {
      const held = this.#held.get(uid) ?? CapabilitySet.EMPTY;
      return !held.isEmpty && held.hasAll(capabilities);
    };
    const covered = (uid: string) => ancestorsOf(uid).some(within);
    return [...this.#held.keys()].filter((uid) => within(uid) && !covered(uid)).sort();
  }
}
