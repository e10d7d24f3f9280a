import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";

export type Labels = Readonly<Record<string, string>>;

/** The value of a counter for one combination of labels. */
export interface Counted {
  readonly labels: Labels;
  readonly value: number;
}

/** The registry of prom-client, with metrics whose values are read with each scrape. */
export class ScrapedMetrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  add(metric: Metric): void {
    this.registry.registerMetric(metric);
  }

  /** Always 1, for what the labels say. */
  addInfo(name: string, help: string, labels: Labels): void {
    const labelNames = Object.keys(labels);
    new Gauge({ name, help, labelNames, registers: [this.registry] }).set({ ...labels }, 1);
  }

  addCounter(name: string, help: string, read: () => number): void {
    this.addLabeledCounter(name, help, [], () => [{ labels: {}, value: read() }]);
  }

  addLabeledCounter(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Iterable<Counted>,
  ): void {
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { labels, value } of read()) this.inc({ ...labels }, value);
      },
    });
  }

  /** The gauge is absent while its value is undefined. */
  addGauge(name: string, help: string, read: () => number | undefined): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        const value = read();
        this.reset();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }
}
