import { type Capability, CapabilitySet, rootOf } from "@wharf/contract";
import { RootGrants } from "./root-grants.ts";

/** Scopes of a caller's capabilities: everywhere, or at and below these scopes. */
export type Reach = { readonly everything: true } | { readonly scopes: readonly string[] };

/** The capabilities of one caller at scopes, grouped by root. Immutable. */
export class Grants {
  static readonly NONE = new Grants(new Map());

  readonly #roots: ReadonlyMap<string, RootGrants>;
  readonly #everywhere: CapabilitySet;
  readonly #reach = new Map<string, Reach>();
  readonly #intersections = new WeakMap<Grants, Grants>();

  private constructor(roots: ReadonlyMap<string, RootGrants>, everywhere = CapabilitySet.EMPTY) {
    this.#roots = roots;
    this.#everywhere = everywhere;
  }

  static at(entries: Iterable<readonly [uid: string, capabilities: CapabilitySet]>): Grants {
    const roots = new Map<string, Map<string, CapabilitySet>>();
    for (const [uid, capabilities] of entries) {
      const root = rootOf(uid);
      const own = roots.get(root) ?? new Map<string, CapabilitySet>();
      roots.set(root, own);
      own.set(uid, own.get(uid)?.union(capabilities) ?? capabilities);
    }
    return new Grants(new Map([...roots].map(([root, own]) => [root, RootGrants.of(own)])));
  }

  /** From compiled grants, by root. The map must not change afterwards. */
  static ofRoots(roots: ReadonlyMap<string, RootGrants>): Grants {
    return new Grants(roots);
  }

  /** Grants at every scope. */
  static everywhere(capabilities: CapabilitySet): Grants {
    return new Grants(new Map(), capabilities);
  }

  /** Union with other grants. */
  plus(entries: readonly (readonly [uid: string, capabilities: CapabilitySet])[]): Grants {
    if (entries.length === 0) return this;
    const roots = new Map(this.#roots);
    for (const root of new Set(entries.map(([uid]) => rootOf(uid)))) {
      const own = new Map(roots.get(root)?.entries);
      for (const [uid, capabilities] of entries) {
        if (rootOf(uid) === root) own.set(uid, own.get(uid)?.union(capabilities) ?? capabilities);
      }
      roots.set(root, RootGrants.of(own));
    }
    return new Grants(roots, this.#everywhere);
  }

  /** Intersection with a boundary: at each scope, the capabilities that both have there. */
  intersect(boundary: Grants): Grants {
    const cached = this.#intersections.get(boundary);
    if (cached !== undefined) return cached;
    const roots = new Map<string, RootGrants>();
    for (const root of new Set([...this.#roots.keys(), ...boundary.#roots.keys()])) {
      const scopes = [this, boundary].flatMap((one) => [...(one.#roots.get(root)?.scopes ?? [])]);
      const both = scopes.map(
        (uid) => [uid, this.heldAt(uid).intersect(boundary.heldAt(uid))] as const,
      );
      roots.set(root, RootGrants.of(new Map(both)));
    }
    const narrowed = new Grants(roots, this.#everywhere.intersect(boundary.#everywhere));
    this.#intersections.set(boundary, narrowed);
    return narrowed;
  }

  /** Only the grants that were made at matching scopes; these themselves if all were. */
  where(counts: (scope: string) => boolean): Grants {
    const roots = [...this.#roots].map(([root, grants]) => [root, grants.where(counts)] as const);
    if (roots.every(([root, grants]) => grants === this.#roots.get(root))) return this;
    return new Grants(new Map(roots.filter(([, grants]) => grants.size > 0)), this.#everywhere);
  }

  /** The scopes of the grants. */
  get scopes(): string[] {
    return [...this.#roots.values()].flatMap((root) => [...root.scopes]);
  }

  /** The number of scopes. */
  get size(): number {
    let size = 0;
    for (const root of this.#roots.values()) size += root.size;
    return size;
  }

  /** Every scope with grants of its own, with all capabilities there, inherited ones included. */
  get entries(): Iterable<readonly [uid: string, set: CapabilitySet]> {
    return [...this.#roots.values()].flatMap((root) => [...root.entries]);
  }

  /** All capabilities at a scope. */
  heldAt(uid: string): CapabilitySet {
    if (!this.#everywhere.isEmpty) return this.#everywhere;
    return this.#roots.get(rootOf(uid))?.heldAt(uid) ?? CapabilitySet.EMPTY;
  }

  holds(capabilities: readonly Capability[] | CapabilitySet, uid: string): boolean {
    return this.heldAt(uid).hasAll(capabilities);
  }

  /** Minimal set of scopes that covers all scopes with all of these capabilities, or with any if none are named. */
  reach(capabilities: readonly Capability[]): Reach {
    if (!this.#everywhere.isEmpty) {
      return this.#everywhere.hasAll(capabilities) ? { everything: true } : { scopes: [] };
    }
    const key = capabilities.join();
    let reach = this.#reach.get(key);
    if (reach === undefined) {
      const roots = [...this.#roots.keys()].sort();
      const scopes = roots.flatMap((root) => this.#roots.get(root)?.topmost(capabilities) ?? []);
      reach = { scopes };
      this.#reach.set(key, reach);
    }
    return reach;
  }
}
