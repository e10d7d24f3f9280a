import { cpuMsOf } from "./children.ts";
import type { Load } from "./load/load.ts";
import type { Options } from "./options.ts";
import type { Bench, Measured } from "./row.ts";

/** Above this share of its core, the load generator may be the bottleneck. */
const MAX_LOAD_SHARE = 0.95;

/** One side of a row: a server process, and a load on it. */
export interface Side {
  readonly pid: number;
  load(seconds: number): Promise<Load>;
}

/** Measures both sides alternately, so that other work on the machine affects both alike. */
export async function alternately(
  rounds: number,
  reference: () => Promise<number>,
  ours: () => Promise<number>,
): Promise<Pick<Measured, "ours" | "reference">> {
  const figures = { ours: [] as number[], reference: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    figures.reference.push(await reference());
    figures.ours.push(await ours());
  }
  return figures;
}

/** Measures two loads alternately, each warmed up first. */
export async function measureLoads(
  { options }: Bench,
  unit: Measured["unit"],
  figure: (load: Load) => number,
  reference: Side,
  ours: Side,
): Promise<Measured> {
  await warmUp(reference, options);
  await warmUp(ours, options);
  const spent = { reference: new CpuUsage(reference), ours: new CpuUsage(ours) };
  const measure = (side: CpuUsage) => async () => figure(await side.load(options.seconds));
  const figures = await alternately(options.rounds, measure(spent.reference), measure(spent.ours));
  const busiest = Math.max(spent.reference.busiest, spent.ours.busiest);
  const share = `${Math.round(busiest * 100)} %`;
  const notes = [
    `CPU per response ${spent.ours.perAnswer} µs, of the reference ${spent.reference.perAnswer} µs`,
    busiest > MAX_LOAD_SHARE
      ? `the load itself used ${share} of its core: it, not the server, may be the limit`
      : `the load used at most ${share} of its core`,
  ];
  return { unit, ...figures, notes };
}

async function warmUp({ load }: Side, { warmUpAnswers, warmUpSeconds }: Options): Promise<void> {
  const until = performance.now() + warmUpSeconds * 1000;
  let answers = 0;
  while (answers < warmUpAnswers && performance.now() < until) {
    answers += (await load(Math.min(1, warmUpSeconds))).answers;
  }
}

/** The CPU time of a side, which hardly depends on other work on the machine. */
class CpuUsage {
  readonly #side: Side;
  #answers = 0;
  #cpuMs = 0;
  busiest = 0;

  constructor(side: Side) {
    this.#side = side;
  }

  async load(seconds: number): Promise<Load> {
    const before = cpuMsOf(this.#side.pid);
    const load = await this.#side.load(seconds);
    this.#cpuMs += cpuMsOf(this.#side.pid) - before;
    this.#answers += load.answers;
    this.busiest = Math.max(this.busiest, load.busy);
    return load;
  }

  get perAnswer(): string {
    return ((this.#cpuMs * 1000) / this.#answers).toFixed(0);
  }
}

export function perSecond({ answers, seconds }: Load): number {
  return answers / seconds;
}

/** The response time of an otherwise idle server. */
export function millisecondsEach({ answers, seconds }: Load): number {
  return (seconds * 1000) / answers;
}

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
