import { cpuMsOf } from "./children.ts";
import type { Load } from "./load/load.ts";
import type { Options } from "./options.ts";
import type { Bench, Measured } from "./row.ts";

/** Above this the load cannot be trusted to have waited for the server. */
const TOO_BUSY = 0.95;

/** One side of a row: a process that answers, and a load on it. */
export interface Side {
  readonly pid: number;
  load(seconds: number): Promise<Load>;
}

/**
 * Measures both sides in turn, so that whatever else the machine does falls on both alike.
 *
 * @example const { ours, reference } = await inTurn(5, measureReference, measureOurs);
 */
export async function inTurn(
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

/**
 * Measures two loads in turn, each warmed up first, and turns what they came to into figures.
 *
 * @example return await measureLoads(bench, "per s", perSecond, reference, ours);
 */
export async function measureLoads(
  { options }: Bench,
  unit: Measured["unit"],
  figure: (load: Load) => number,
  reference: Side,
  ours: Side,
): Promise<Measured> {
  await warmUp(reference, options);
  await warmUp(ours, options);
  const spent = { reference: new Spent(reference), ours: new Spent(ours) };
  const measure = (side: Spent) => async () => figure(await side.load(options.seconds));
  const figures = await inTurn(options.rounds, measure(spent.reference), measure(spent.ours));
  const busiest = Math.max(spent.reference.busiest, spent.ours.busiest);
  const share = `${Math.round(busiest * 100)} %`;
  const notes = [
    `CPU for each answer ${spent.ours.perAnswer} µs, of the reference ${spent.reference.perAnswer} µs`,
    busiest > TOO_BUSY
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

/** What the measurements of a side took; CPU time hardly minds who else uses the machine. */
class Spent {
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

/** @example perSecond({ answers: 60_000, seconds: 3, … }) // 20_000 */
export function perSecond({ answers, seconds }: Load): number {
  return answers / seconds;
}

/** The server's time for each answer while it has nothing else to do. */
export function millisecondsEach({ answers, seconds }: Load): number {
  return (seconds * 1000) / answers;
}

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
