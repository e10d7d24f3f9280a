import type { Metric } from "prom-client";

/** Seconds, finer where most answers are. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The latencies of one kind of thing. */
export class Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** How often each bound was the first that held; the last has what was slower than all of them. */
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
 * A histogram that is cheap to add to, because it is added to by every request: whoever adds keeps
 * the series, and it is written out when someone asks. The library's own looks its labels up anew
 * each time, at a tenth of what a short request costs.
 *
 * @example
 * const requests = new Latencies("wharf_request_duration_seconds", "Requests by method.");
 * const series = requests.series({ protocol: "rest", method: "GetGroup", code: 0 });
 * series.add(0.0004);
 */
export class Latencies {
  readonly name: string;
  readonly help: string;
  readonly #series: Series[] = [];

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  /** A new series. Its labels must not be those of another. */
  series(labels: Series["labels"]): Series {
    const series = new Series(labels);
    this.#series.push(series);
    return series;
  }

  /** The form in which the library's registry takes it. */
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
