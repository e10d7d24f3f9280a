import { CapabilitySet, rootOf } from "@wharf/contract";
import { ownerOf } from "../lib/scheduling/share.ts";
import { type SlicedTask, TimeSlices } from "../lib/scheduling/time-slices.ts";
import type { Reader } from "../store/db/connection.ts";
import { SharedRead } from "../store/db/read/shared-read.ts";
import {
  type AccessLogPosition,
  type GrantChange,
  readGrantChanges,
} from "../store/tables/access/access-log.ts";
import { boundRoles } from "../store/tables/access/identity-bindings.ts";
import { Grants } from "./grants.ts";
import { RootGrants } from "./root-grants.ts";

/** Scopes with cached grants, over all identities. */
const MAX_SCOPES = 250_000;

/** Identities with cached grants. */
const MAX_IDENTITIES = 20_000;

/** Roles decoded by one read. */
const ROLES_PAGE_SIZE = 200;

/** Looks up the capabilities of roles, by uid. */
export type CapabilitiesOf = (uids: readonly string[]) => Promise<Map<string, CapabilitySet>>;

/** The compiled grants of one identity. */
interface Compiled {
  readonly identity: string;
  grants: Grants;
  roots: ReadonlyMap<string, RootGrants>;
  /** Roots whose grants have changed; undefined for all roots. */
  stale: Set<string> | undefined;
  isRefreshing: boolean;
  /** Roots that it is indexed under. */
  readonly indexed: Set<string>;
  size: number;
  readonly refreshed: SharedRead<Grants>;
}

/**
 * Compiles the role bindings of identities to grants and caches them. Each call first reads the log of
 * changed grants, so a change takes effect on the next request on every replica. Only the grants of the
 * changed identity in the changed organization are compiled again. Compilation runs in time slices, so
 * that other requests do not wait for an identity with many bindings.
 */
export class BindingGrants {
  readonly #reader: Reader;
  readonly #capabilitiesOf: CapabilitiesOf;
  readonly #slices: TimeSlices;
  readonly #log = new SharedRead(() => this.#readLog());
  #position: AccessLogPosition = { version: -1, logged: -1 };
  /**
   * Least recently used first. No BoundedCache: an entry grows after it was added, and one that is
   * evicted must leave the index by root.
   */
  readonly #compiled = new Map<string, Compiled>();
  /** Identities with grants in a root: a changed role of the organization affects all of them. */
  readonly #byRoot = new Map<string, Set<Compiled>>();
  #size = 0;

  constructor(reader: Reader, capabilitiesOf: CapabilitiesOf, slices = new TimeSlices()) {
    this.#reader = reader;
    this.#capabilitiesOf = capabilitiesOf;
    this.#slices = slices;
  }

  async of(identity: string): Promise<Grants> {
    await this.#log.read();
    const compiled = this.#compiled.get(identity) ?? this.#begin(identity);
    this.#compiled.delete(identity);
    this.#compiled.set(identity, compiled);
    const isFresh = compiled.stale?.size === 0 && !compiled.isRefreshing;
    return isFresh ? compiled.grants : compiled.refreshed.read();
  }

  async #readLog(): Promise<void> {
    const { position, changes } = await readGrantChanges(this.#reader, this.#position);
    this.#position = position;
    if (changes === undefined) this.#clear();
    else for (const change of changes) this.#apply(change);
  }

  #apply({ identity, root }: GrantChange): void {
    if (identity !== "") markStale(this.#compiled.get(identity), root);
    else if (root === "") this.#clear();
    else for (const one of this.#byRoot.get(root) ?? []) markStale(one, root);
  }

  #begin(identity: string): Compiled {
    const begun: Compiled = {
      identity,
      grants: Grants.NONE,
      roots: new Map(),
      stale: undefined,
      isRefreshing: false,
      indexed: new Set(),
      size: 0,
      refreshed: new SharedRead(() => this.#refresh(begun)),
    };
    return begun;
  }

  /** Compiles stale roots. Roots that become stale meanwhile are left to the next refresh. */
  async #refresh(compiled: Compiled): Promise<Grants> {
    const { stale } = compiled;
    if (stale?.size === 0) return compiled.grants;
    compiled.stale = new Set();
    compiled.isRefreshing = true;
    try {
      const roots = new Map(stale === undefined ? [] : compiled.roots);
      const task = this.#slices.task(
        ownerOf({ caller: { uid: compiled.identity }, remoteAddress: "" }),
      );
      for (const staleRoot of stale ?? [undefined]) {
        if (staleRoot !== undefined) roots.delete(staleRoot);
        for (const [root, grants] of await this.#compile(compiled, task, staleRoot)) {
          roots.set(root, grants);
        }
      }
      this.#cache(compiled, roots);
      return compiled.grants;
    } catch (error) {
      compiled.stale = undefined;
      throw error;
    } finally {
      compiled.isRefreshing = false;
      // Evicted meanwhile: only requests that already wait for it use the result.
      if (this.#compiled.get(compiled.identity) !== compiled) this.#release(compiled);
    }
  }

  /** Compiles the grants of one root, or of all roots, by root. */
  async #compile(
    compiled: Compiled,
    task: SlicedTask,
    root: string | undefined,
  ): Promise<Map<string, RootGrants>> {
    const rolesAt = new Map<string, Map<string, Set<string>>>();
    const roles = new Set<string>();
    for await (const page of boundRoles(this.#reader, compiled.identity, root)) {
      for (const [group, role] of page) {
        const within = rootOf(group);
        const scopes = rolesAt.get(within) ?? new Map<string, Set<string>>();
        // Indexed before its roles are read, so that a role that changes from now on makes it stale.
        if (!rolesAt.has(within)) this.#index(within, compiled);
        rolesAt.set(within, scopes);
        scopes.set(group, (scopes.get(group) ?? new Set()).add(role));
        roles.add(role);
      }
      await task.pause();
    }
    const capabilities = await this.#capabilities([...roles], task);
    const grants = new Map<string, RootGrants>();
    for (const [within, scopes] of rolesAt) {
      grants.set(within, RootGrants.of(heldAt(scopes, capabilities)));
      await task.pause();
    }
    return grants;
  }

  async #capabilities(
    roles: readonly string[],
    task: SlicedTask,
  ): Promise<Map<string, CapabilitySet>> {
    const all = new Map<string, CapabilitySet>();
    for (let at = 0; at < roles.length; at += ROLES_PAGE_SIZE) {
      const some = await this.#capabilitiesOf(roles.slice(at, at + ROLES_PAGE_SIZE));
      for (const [role, capabilities] of some) all.set(role, capabilities);
      await task.pause();
    }
    return all;
  }

  #index(root: string, compiled: Compiled): void {
    const holders = this.#byRoot.get(root) ?? new Set();
    this.#byRoot.set(root, holders.add(compiled));
    compiled.indexed.add(root);
  }

  #cache(compiled: Compiled, roots: ReadonlyMap<string, RootGrants>): void {
    compiled.roots = roots;
    compiled.grants = Grants.ofRoots(roots);
    if (this.#compiled.get(compiled.identity) !== compiled) return;
    for (const root of compiled.indexed) {
      if (!roots.has(root)) this.#unindex(root, compiled);
    }
    const size = roots.values().reduce((sum, { size }) => sum + size, 1);
    this.#size += size - compiled.size;
    compiled.size = size;
    for (const oldest of this.#compiled.values()) {
      if (this.#size <= MAX_SCOPES && this.#compiled.size <= MAX_IDENTITIES) return;
      if (oldest === compiled) return;
      this.#compiled.delete(oldest.identity);
      this.#release(oldest);
    }
  }

  #release(compiled: Compiled): void {
    this.#size -= compiled.size;
    compiled.size = 0;
    for (const root of compiled.indexed) this.#unindex(root, compiled);
  }

  #unindex(root: string, compiled: Compiled): void {
    compiled.indexed.delete(root);
    const holders = this.#byRoot.get(root);
    holders?.delete(compiled);
    if (holders?.size === 0) this.#byRoot.delete(root);
  }

  #clear(): void {
    for (const one of this.#compiled.values()) this.#release(one);
    this.#compiled.clear();
  }
}

function markStale(compiled: Compiled | undefined, root: string): void {
  if (compiled === undefined) return;
  if (root === "") compiled.stale = undefined;
  else compiled.stale?.add(root);
}

function heldAt(
  scopes: ReadonlyMap<string, ReadonlySet<string>>,
  capabilities: ReadonlyMap<string, CapabilitySet>,
): Map<string, CapabilitySet> {
  const result = new Map<string, CapabilitySet>();
  for (const [group, roles] of scopes) {
    let all = CapabilitySet.EMPTY;
    for (const role of roles) {
      const granted = capabilities.get(role) ?? CapabilitySet.EMPTY;
      all = all === CapabilitySet.EMPTY ? granted : all.union(granted);
    }
    result.set(group, all);
  }
  return result;
}
