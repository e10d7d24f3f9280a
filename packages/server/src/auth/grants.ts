import { type Capability, CapabilitySet, rootOf } from "@wharf/contract";
import { RootGrants } from "./root-grants.ts";

/** The parts of the tree in which a caller holds something: everywhere, or below these places. */
export type Reach = { readonly everything: true } | { readonly scopes: readonly string[] };

/** What one caller holds, root by root. */
export class Grants {
  static readonly NONE = new Grants(new Map());

  readonly #roots: ReadonlyMap<string, RootGrants>;
  readonly #everywhere: CapabilitySet;
  readonly #reach = new Map<string, Reach>();
  readonly #within = new WeakMap<Grants, Grants>();

  private constructor(roots: ReadonlyMap<string, RootGrants>, everywhere = CapabilitySet.EMPTY) {
    this.#roots = roots;
    this.#everywhere = everywhere;
  }

  /**
   * @example const grants = Grants.at([["<organisation uid>", viewer]]);
   */
  static at(entries: Iterable<readonly [uid: string, held: CapabilitySet]>): Grants {
    const roots = new Map<string, Map<string, CapabilitySet>>();
    for (const [uid, held] of entries) {
      const root = rootOf(uid);
      const own = roots.get(root) ?? new Map<string, CapabilitySet>();
      roots.set(root, own);
      own.set(uid, own.get(uid)?.union(held) ?? held);
    }
    return new Grants(new Map([...roots].map(([root, own]) => [root, RootGrants.of(own)])));
  }

  /** Grants that are compiled already, by root. The map must not change afterwards. */
  static ofRoots(roots: ReadonlyMap<string, RootGrants>): Grants {
    return new Grants(roots);
  }

  /** Grants that hold on everything there is and will be. */
  static everywhere(held: CapabilitySet): Grants {
    return new Grants(new Map(), held);
  }

  /**
   * These grants and more.
   *
   * @example const grants = bound.plus([[mapping.scope, capabilities]]);
   */
  plus(entries: readonly (readonly [uid: string, held: CapabilitySet])[]): Grants {
    if (entries.length === 0) return this;
    const roots = new Map(this.#roots);
    for (const root of new Set(entries.map(([uid]) => rootOf(uid)))) {
      const own = new Map(roots.get(root)?.entries);
      for (const [uid, held] of entries) {
        if (rootOf(uid) === root) own.set(uid, own.get(uid)?.union(held) ?? held);
      }
      roots.set(root, RootGrants.of(own));
    }
    return new Grants(roots, this.#everywhere);
  }

  /**
   * What remains of these grants within a limit: at each place, what both hold there.
   *
   * @example const caller = granted.within(limitOfToken);
   */
  intersect(limit: Grants): Grants {
    const known = this.#within.get(limit);
    if (known !== undefined) return known;
    const roots = new Map<string, RootGrants>();
    for (const root of new Set([...this.#roots.keys(), ...limit.#roots.keys()])) {
      const scopes = [this, limit].flatMap((one) => [...(one.#roots.get(root)?.scopes ?? [])]);
      const both = scopes.map(
        (uid) => [uid, this.heldAt(uid).intersect(limit.heldAt(uid))] as const,
      );
      roots.set(root, RootGrants.of(new Map(both)));
    }
    const narrowed = new Grants(roots, this.#everywhere.intersect(limit.#everywhere));
    this.#within.set(limit, narrowed);
    return narrowed;
  }

  /** What remains if only grants that were made at some scopes count. */
  where(counts: (scope: string) => boolean): Grants {
    const roots = [...this.#roots].map(([root, grants]) => [root, grants.where(counts)] as const);
    return new Grants(new Map(roots.filter(([, grants]) => grants.size > 0)), this.#everywhere);
  }

  /** The scopes at which something was granted. */
  get scopes(): string[] {
    return [...this.#roots.values()].flatMap((root) => [...root.scopes]);
  }

  /** How many scopes there are. */
  get size(): number {
    let size = 0;
    for (const root of this.#roots.values()) size += root.size;
    return size;
  }

  /** Every place with grants of its own, and all that is held there. */
  get entries(): Iterable<readonly [uid: string, held: CapabilitySet]> {
    return [...this.#roots.values()].flatMap((root) => [...root.entries]);
  }

  /** Everything that is held at a place. */
  heldAt(uid: string): CapabilitySet {
    if (!this.#everywhere.isEmpty) return this.#everywhere;
    return this.#roots.get(rootOf(uid))?.heldAt(uid) ?? CapabilitySet.EMPTY;
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
      return this.#everywhere.hasAll(capabilities) ? { everything: true } : { scopes: [] };
    }
    const key = capabilities.join();
    let reach = this.#reach.get(key);
    if (reach === undefined) {
      const roots = [...this.#roots.keys()].sort();
      const places = roots.flatMap((root) => this.#roots.get(root)?.topmost(capabilities) ?? []);
      reach = { scopes: places };
      this.#reach.set(key, reach);
    }
    return reach;
  }
}
