import type { Metric } from "prom-client";

/** Upper bounds of the buckets in seconds: each is a series for each set of labels, so there are few. */
const BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** The histogram of one set of labels. */
export class Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** Observations per bucket; the last bucket has no upper bound. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  sum = 0;

  constructor(labels: Series["labels"]) {
    this.labels = labels;
  }

  add(seconds: number): void {
    let at = 0;
    while (at < BOUNDS.length && seconds > (BOUNDS[at] as number)) at++;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += seconds;
  }
}

/**
 * A histogram for use in every request: callers keep a series and add to it. The histogram of the
 * library looks up labels on each observation, at a tenth of the cost of a short request.
 */
export class Latencies {
  readonly name: string;
  readonly help: string;
  readonly #series: Series[] = [];

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  /** A new series. Its labels must be unique. */
  series(labels: Series["labels"]): Series {
    const series = new Series(labels);
    this.#series.push(series);
    return series;
  }

  /** For registration in the registry of the library. */
  get metric(): Metric {
    const { name, help } = this;
    const get = async () => ({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: this.#values(),
    });
    return {
      name,
      help,
      type: "histogram",
      get,
      reset() {},
    } as unknown as Metric;
  }

  #values() {
    return this.#series.flatMap(({ labels, counts, sum }) => {
      let upTo = 0;
      const buckets = Array.from(counts, (count, at) => {
        upTo += count;
        const le = BOUNDS[at] ?? "+Inf";
        return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: upTo };
      });
      return [
        ...buckets,
        { metricName: `${this.name}_sum`, labels, value: sum },
        { metricName: `${this.name}_count`, labels, value: upTo },
      ];
    });
  }
}
