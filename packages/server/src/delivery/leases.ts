/**
 * Shared parts of senders to external systems: leases between replicas, the retry schedule, and requests that cannot
 * reach private addresses. Imports store and lib; events and audit sinks build on it.
 */
import { randomUUID } from "node:crypto";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Store } from "../store/db/store.ts";
import { confirmLease, dropLease, renewLeases, takeLease } from "../store/tables/leases.ts";

export interface LeaseTimes {
  /** Lifetime of a lease without renewal: the pause after a process was killed. */
  readonly leaseMs: number;
}

/** Renewals per lifetime of a lease. One may fail without consequence. */
const RENEWALS = 3;

/**
 * The leases of one process. A lease counts until its holder knows that it has expired: by a monotonic clock from
 * before it was taken, so a stalled process does not act on a lease that another one has.
 */
export class Leases {
  readonly #store: Store;
  readonly #leaseMs: number;
  readonly #holder = randomUUID();
  /** By name: until when it is valid, by `performance.now()`. */
  readonly #held = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(store: Store, { leaseMs }: LeaseTimes) {
    this.#store = store;
    this.#leaseMs = leaseMs;
  }

  holds(name: string): boolean {
    return (this.#held.get(name) ?? 0) > performance.now();
  }

  /** Acquires a lease and renews it from now on. Returns false while another process holds it. */
  async acquire(name: string): Promise<boolean> {
    if (this.holds(name)) return true;
    const validUntil = performance.now() + this.#leaseMs;
    const taken = await this.#store.write((tx) => takeLease(tx, name, this.#holder, this.#leaseMs));
    if (!taken) return false;
    this.#held.set(name, validUntil);
    this.#timer ??= setInterval(() => {
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
    }, this.#leaseMs / RENEWALS).unref();
    return true;
  }

  /** Whether the lease still counts in a transaction: nobody else acquires it before the transaction ends. */
  confirm(tx: Transaction, name: string): Promise<boolean> {
    return confirmLease(tx, name, this.#holder);
  }

  /** Releases a lease, with other work in the same transaction. */
  async release(name: string, last?: (tx: Transaction) => Promise<void>): Promise<void> {
    if (!this.#held.delete(name)) return;
    await this.#store.write(async (tx) => {
      await last?.(tx);
      await dropLease(tx, name, this.#holder);
    });
  }

  /** Releases all leases, so that others need not wait. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#renewing;
    for (const name of [...this.#held.keys()]) await this.release(name).catch(() => {});
  }

  async #renew(): Promise<void> {
    const names = [...this.#held.keys()];
    if (names.length === 0) return;
    const validUntil = performance.now() + this.#leaseMs;
    try {
      const renewed = new Set(
        await this.#store.write((tx) => renewLeases(tx, names, this.#holder, this.#leaseMs)),
      );
      for (const name of names) {
        if (!renewed.has(name)) this.#held.delete(name);
        else if (this.#held.has(name)) this.#held.set(name, validUntil);
      }
    } catch {
      // The store's health reports it; leases expire meanwhile.
    }
  }
}
