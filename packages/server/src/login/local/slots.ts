import { WharfError } from "../../errors.ts";

/** Lets some work run only a few at a time; the rest waits in line, up to a length. */
export class Slots {
  readonly #most: number;
  readonly #longest: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(most: number, longest: number) {
    this.#most = most;
    this.#longest = longest;
  }

  /**
   * Runs work when its turn comes; refuses when too many wait already.
   *
   * @example const tag = await slots.run(() => derive(password));
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy < this.#most) this.#busy += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      // Whoever is next takes over the slot; without anyone it is free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#longest) {
      throw new WharfError("RESOURCE_EXHAUSTED", "too many log in at this moment: try again");
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
