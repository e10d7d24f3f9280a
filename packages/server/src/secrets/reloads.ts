import type { Store } from "../store/db/store.ts";

/** Reloads of what a process keeps in memory and replicas replace in the store. */
export class Reloads {
  readonly #store: Pick<Store, "accessVersion">;
  #version = -1;
  #started = 0;
  #applied = 0;

  constructor(store: Pick<Store, "accessVersion">) {
    this.#store = store;
  }

  /** Reloads once for each access version: a rotation advances it. */
  async ifChanged(reload: () => Promise<void>): Promise<void> {
    const version = await this.#store.accessVersion();
    if (version === this.#version) return;
    await reload();
    this.#version = version;
  }

  /**
   * Reads and applies. Reads may finish out of order: one that a later one has overtaken may have read what was there
   * before a rotation, and is not applied. Returns whether it was.
   */
  async run<T>(read: () => Promise<T>, apply: (value: T) => void): Promise<boolean> {
    this.#started += 1;
    const order = this.#started;
    const value = await read();
    if (order < this.#applied) return false;
    this.#applied = order;
    apply(value);
    return true;
  }
}
