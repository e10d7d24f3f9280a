import type { AuditEntry } from "../../store/tables/audit/audit-and-events.ts";
import { addRepeats, entryOf, otherEntry, type Repeats } from "./repeats.ts";

/** Callers whose requests are aggregated, and the bound of entries in each pool. */
export interface AggregatorOptions {
  /** The caller, or the client network, that causes an entry. */
  ownerOf(entry: AuditEntry): string;
  /** The organization that creates owners at will; owners beyond its share have one entry. */
  shareOf(entry: AuditEntry): string;
  readonly maxKinds: number;
  readonly maxKindsPerOwner: number;
  /** Owners of a share that keep an entry of their own beyond their kinds. */
  readonly maxOwners: number;
  /** The method in the overflow entry of an owner. */
  overflowMethod(entry: AuditEntry): string;
}

/** Requests that one entry stands for. */
export interface Kind {
  readonly sample: AuditEntry;
  readonly reason: string;
  /** 0: of one method, outcome and reason; 1: overflow of one owner; 2: overflow of owners of a share. */
  readonly level: number;
  repeats: Repeats | undefined;
}

interface Budget {
  readonly name: string;
  readonly max: number;
}

/**
 * The kinds of requests within a window that concern one organization. Pools share no budget: requests elsewhere displace
 * nothing from the log of an organization. Within a pool, entries lose detail before they lose their owner.
 */
export class AggregationPool {
  readonly root: string;
  readonly #options: AggregatorOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #used = new Map<string, number>();

  constructor(root: string, options: AggregatorOptions) {
    this.root = root;
    this.#options = options;
  }

  get kinds(): Iterable<Kind> {
    return this.#kinds.values();
  }

  /** The kind of an entry: the most detailed one that exists or fits the budgets. */
  kindOf(entry: AuditEntry, reason: string): { readonly kind: Kind; readonly isNew: boolean } {
    for (const [level, { key, budgets }] of this.#levels(entry, reason).entries()) {
      const text = JSON.stringify(key);
      const existing = this.#kinds.get(text);
      if (existing !== undefined) return { kind: existing, isNew: false };
      if (!budgets.every(({ name, max }) => (this.#used.get(name) ?? 0) < max)) continue;
      for (const { name } of budgets) this.#used.set(name, (this.#used.get(name) ?? 0) + 1);
      const kind: Kind = { sample: entry, reason, level, repeats: undefined };
      this.#kinds.set(text, kind);
      return { kind, isNew: true };
    }
    throw new Error("the last level has no budget");
  }

  count(kind: Kind, repeats: Repeats | undefined): void {
    kind.repeats = addRepeats(this.root, kind.repeats, repeats);
  }

  /** Adds the kinds and counts of a later window. */
  absorb(later: AggregationPool): void {
    for (const { sample, reason, repeats } of later.kinds) {
      this.count(this.kindOf(sample, reason).kind, repeats);
    }
  }

  /** The entries of all counts. */
  *entries(): Generator<AuditEntry> {
    const { overflowMethod, shareOf } = this.#options;
    for (const { sample, level, repeats } of this.kinds) {
      if (repeats === undefined) continue;
      if (level === 0) yield entryOf(repeats);
      else
        yield otherEntry(
          repeats,
          overflowMethod(sample),
          level === 2 ? shareOf(sample) : undefined,
        );
    }
  }

  #levels(entry: AuditEntry, reason: string): { key: unknown[]; budgets: Budget[] }[] {
    const { maxKinds, maxKindsPerOwner, maxOwners } = this.#options;
    const owner = this.#options.ownerOf(entry);
    const share = this.#options.shareOf(entry);
    const kinds = { name: "kinds", max: maxKinds };
    const own = { name: `kinds of ${owner}`, max: maxKindsPerOwner };
    const owners = { name: `owners of ${share}`, max: maxOwners };
    const method = this.#options.overflowMethod(entry);
    return [
      { key: [owner, entry.method, entry.code, reason], budgets: [kinds, own] },
      { key: [owner, method], budgets: [owners] },
      { key: [share], budgets: [] },
    ];
  }
}
