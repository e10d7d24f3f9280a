import { FetchError } from "../../lib/fetch-json.ts";
import { limitOf } from "../../lib/limit.ts";

/** What asks for the same thing shares turns. */
interface Lane {
  readonly limit: ReturnType<typeof limitOf>;
  users: number;
}

/**
 * Lets so many pieces of work run at a time for each of whatever they are for. Whoever has waited
 * too long for a turn is refused.
 */
export class Turns {
  readonly #most: number;
  readonly #patienceMs: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(most: number, patienceMs: number) {
    this.#most = most;
    this.#patienceMs = patienceMs;
  }

  /**
   * Does the work when it is its turn. Rejects with a FetchError when that does not come in time.
   */
  async take<T>(what: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(what) ?? { limit: limitOf(this.#most), users: 0 };
    this.#lanes.set(what, lane);
    lane.users++;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let waits = true;
    const timer = setTimeout(() => {
      waits = false;
      reject(new FetchError("too many issuers like it are being asked: try again"));
    }, this.#patienceMs);
    const turn = async () => {
      clearTimeout(timer);
      if (waits) await work().then(resolve, reject);
    };
    lane.limit(turn).finally(() => {
      lane.users--;
      if (lane.users === 0) this.#lanes.delete(what);
    });
    return promise;
  }
}
