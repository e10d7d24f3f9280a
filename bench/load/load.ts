/** What a load came to. */
export interface Load {
  readonly answers: number;
  readonly seconds: number;
  /** The share of its core that the load itself used: near 1, it and not the server was measured. */
  readonly busy: number;
  /** Milliseconds of the middle request; only where one at a time was sent. */
  readonly medianMs: number;
}

/** Counts answers until the time is over. */
export class Tally {
  readonly #started = performance.now();
  readonly #cpu = process.cpuUsage();
  readonly #until: number;
  readonly #latencies: number[] | undefined;
  #answers = 0;
  #last = this.#started;

  constructor(seconds: number, oneAtATime: boolean) {
    this.#until = this.#started + seconds * 1000;
    this.#latencies = oneAtATime ? [] : undefined;
  }

  /** Notes an answer; returns whether to go on. */
  answered(): boolean {
    const now = performance.now();
    this.#answers += 1;
    this.#latencies?.push(now - this.#last);
    this.#last = now;
    return now < this.#until;
  }

  result(): Load {
    const seconds = (this.#last - this.#started) / 1000;
    const { user, system } = process.cpuUsage(this.#cpu);
    const latencies = (this.#latencies ?? []).sort((a, b) => a - b);
    return {
      answers: this.#answers,
      seconds,
      busy: (user + system) / 1e6 / seconds,
      medianMs: latencies[latencies.length >> 1] ?? 0,
    };
  }
}
