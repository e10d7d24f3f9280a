/** The result of a load. */
export interface Load {
  readonly answers: number;
  readonly seconds: number;
  /** The share of its core that the load generator used: near 1, it was the bottleneck. */
  readonly busy: number;
  /** The median response time in milliseconds; 0 if response times are not measured. */
  readonly medianMs: number;
  /** The response time that 99 % do not exceed; 0 if response times are not measured. */
  readonly p99Ms: number;
}

/** Counts responses until the time is over. */
export class Tally {
  readonly #started = performance.now();
  readonly #cpu = process.cpuUsage();
  readonly #until: number;
  readonly #latencies: number[] | undefined;
  #answers = 0;
  #last = this.#started;

  constructor(seconds: number, measuresTimes: boolean) {
    this.#until = this.#started + seconds * 1000;
    this.#latencies = measuresTimes ? [] : undefined;
  }

  /** Counts a response to a request that was sent at a time, by default that of the response before; returns whether to continue. */
  answered(sent = this.#last): boolean {
    const now = performance.now();
    this.#answers += 1;
    this.#latencies?.push(now - sent);
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
      p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    };
  }
}
