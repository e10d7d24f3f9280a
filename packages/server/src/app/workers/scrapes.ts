import { mergeMetrics, withoutGauges } from "../../observe/merge-metrics.ts";

/** Timeout of a worker's report; after it, the latest report of a busy worker is used. */
const REPORT_MS = 2_000;

/** Something that reports its metrics. */
export interface Reporter {
  readonly number: number;
  send(message: { readonly kind: "report"; readonly id: number }): void;
}

interface Scrape {
  readonly missing: Set<number>;
  done(): void;
}

/** Collects the metrics of all workers. Those that have ended still count: counters of a server never decrease. */
export class Scrapes {
  readonly #own: () => string;
  readonly #latest = new Map<number, string>();
  readonly #running = new Map<number, Scrape>();
  #ended = "";
  #ids = 0;

  /** `own` has the metrics of the supervisor. */
  constructor(own: () => string) {
    this.#own = own;
  }

  async scrape(reporters: readonly Reporter[]): Promise<string> {
    const id = ++this.#ids;
    const missing = new Set(reporters.map(({ number }) => number));
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, REPORT_MS);
      this.#running.set(id, { missing, done: resolve });
      for (const reporter of reporters) reporter.send({ kind: "report", id });
    });
    clearTimeout(timer);
    this.#running.delete(id);
    const latest = [...this.#latest].map(([worker, text]) => [String(worker), text] as const);
    return mergeMetrics([...latest, ["0", this.#own()], ["0", this.#ended]]);
  }

  reported(worker: number, id: number, text: string): void {
    this.#latest.set(worker, text);
    this.#arrived(worker, id);
  }

  ended(worker: number): void {
    const latest = this.#latest.get(worker);
    this.#latest.delete(worker);
    if (latest !== undefined)
      this.#ended = mergeMetrics([
        ["0", this.#ended],
        ["0", withoutGauges(latest)],
      ]);
    for (const id of this.#running.keys()) this.#arrived(worker, id);
  }

  #arrived(worker: number, id: number): void {
    const scrape = this.#running.get(id);
    scrape?.missing.delete(worker);
    if (scrape?.missing.size === 0) scrape.done();
  }
}
