import { hash, randomBytes } from "node:crypto";
import { auditContent, auditRoot, type HashedAuditEntry } from "@wharf/contract";
import { BoundedCache } from "../../../lib/bounded-cache.ts";
import type { AuditEntry } from "./audit-and-events.ts";

/** An entry with its place in a chain. */
export interface ChainedEntry extends AuditEntry {
  readonly chain: string;
  readonly sequence: number;
  readonly previousHash: string;
  readonly hash: string;
}

interface Head {
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
}

/** The chains within one transaction. */
export interface ContinuedChains {
  /** The roots of entries that begin a chain: hardly ever any. */
  beginning(entries: readonly AuditEntry[]): readonly string[];
  /**
   * Links entries. The next ones follow them only if they are written, and not rolled back. A new chain continues the last
   * checkpoint of its root.
   */
  link(
    entries: readonly AuditEntry[],
    lastCheckpoints?: ReadonlyMap<string, string>,
  ): {
    readonly entries: readonly ChainedEntry[];
    written(): void;
  };
  committed(): void;
}

/** Roots whose chains continue; the next entry of any other root begins a new chain. */
const MAX_HEADS = 10_000;

/**
 * A chain without entries for this long is not continued. So a chain whose entries have all expired never gets another
 * one, and nothing about it needs to be kept: entries live for a day at least.
 */
const MAX_REST_MS = 12 * 3_600_000;

const HEADS = { maxEntries: MAX_HEADS, ttlMs: MAX_REST_MS };

/**
 * The hash chains of this process: one for each root, so that an organization can verify its entries without
 * those of others, and replicas need not wait for each other. A chain ends with its process, when the outcome
 * of a commit is unknown, and after a long rest.
 */
export class AuditChains {
  readonly #isLinking: boolean;
  readonly #writer = randomBytes(8).toString("hex");
  #chains = 0;
  #heads = new BoundedCache<string, Head>(HEADS);

  /** Entries are not linked where the cost of the chains is measured. */
  constructor(isLinking = true) {
    this.#isLinking = isLinking;
  }

  /** Continues the chains in a transaction; what it writes counts only once it is committed. */
  continue(): ContinuedChains {
    const written = new Map<string, Head>();
    const headOf = (root: string) => written.get(root) ?? this.#heads.get(root);
    return {
      beginning: (entries) => {
        if (!this.#isLinking) return [];
        const roots = entries.map(rootOfEntry).filter((root) => headOf(root) === undefined);
        return roots.length < 2 ? roots : [...new Set(roots)];
      },
      link: (entries, lastCheckpoints) => {
        if (!this.#isLinking) return { entries: entries.map(unlinked), written() {} };
        const heads = new Map<string, Head>();
        const linked = entries.map((entry) => {
          const root = rootOfEntry(entry);
          const head =
            heads.get(root) ?? headOf(root) ?? this.#begin(lastCheckpoints?.get(root) ?? "");
          const chained = linkTo(head, entry);
          heads.set(root, chained);
          return chained;
        });
        return {
          entries: linked,
          written() {
            for (const [root, head] of heads) written.set(root, head);
          },
        };
      },
      committed: () => {
        for (const [root, { chain, sequence, hash }] of written) {
          this.#heads.set(root, { chain, sequence, hash });
        }
      },
    };
  }

  /** Ends all chains: entries after this must not continue those of a commit that may not have happened. */
  end(): void {
    this.#heads = new BoundedCache(HEADS);
  }

  #begin(hash: string): Head {
    this.#chains += 1;
    return { chain: `${this.#writer}-${this.#chains}`, sequence: 0, hash };
  }
}

function rootOfEntry({ resource, actor }: AuditEntry): string {
  return auditRoot(resource, actor);
}

function unlinked(entry: AuditEntry): ChainedEntry {
  return { ...entry, chain: "", sequence: 0, previousHash: "", hash: "" };
}

function linkTo({ chain, sequence, hash: previousHash }: Head, entry: AuditEntry): ChainedEntry {
  const placed = { ...entry, chain, sequence: sequence + 1, previousHash, hash: "" };
  placed.hash = hash("sha256", auditContent(hashedEntry(placed)), "hex");
  return placed;
}

/** Fields covered by the hash of an entry. */
export function hashedEntry(entry: Omit<ChainedEntry, "hash">): HashedAuditEntry {
  return {
    chain: entry.chain,
    sequence: entry.sequence,
    previousHash: entry.previousHash,
    time: entry.time,
    method: entry.method,
    actor: entry.actor,
    actorName: entry.actorName ?? "",
    resource: entry.resource,
    resourceName: entry.resourceName ?? "",
    resourceType: entry.resourceType ?? "",
    code: entry.code,
    changedFields: entry.changedFields ?? [],
    session: entry.session ?? "",
    sourceAddress: entry.remoteAddress,
    userAgent: entry.userAgent,
    via: entry.via ?? "",
    requestId: entry.requestId,
    // The API has no difference between no details and empty ones.
    detail: entry.detail === "" ? {} : JSON.parse(entry.detail),
  };
}
