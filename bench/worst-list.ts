/** The worst of many lists, each read for the first time by a fresh process, and right after a write. */
import { copyOf, type DataKind, dataSet } from "./data-set.ts";
import { median } from "./measure.ts";
import { ORGANIZATION } from "./organization.ts";
import { type Bench, type Measured, type Row, serve } from "./row.ts";
import { PAGE_SIZE } from "./verify.ts";
import type { Wharf } from "./wharf.ts";

/** A list: its path has a query, without the size of pages. */
export interface List {
  readonly path: string;
  /** The token of the caller, if it is not the operator. */
  readonly token?: string;
}

/** The lists of a server, by name. */
export interface Lists {
  readonly lists: ReadonlyMap<string, List>;
  /** The list whose first pages are the reference. */
  readonly whole: List;
  /** Changes a row of the listed table: no cached list is current any more. */
  change(): Promise<unknown>;
}

export interface WorstList {
  readonly work: string;
  readonly atMost: number;
  readonly data: DataKind;
  readonly count: number;
  listsOf(server: Wharf, data: string): Promise<Lists> | Lists;
}

/** Sizes of the first pages of the reference, each read once: 50 on average. */
const REFERENCE_SIZES = Array.from({ length: 21 }, (_, at) => PAGE_SIZE - 10 + at);

/** A page that is not measured, whose requests warm up the code of a process. */
const WARM_UP_SIZE = PAGE_SIZE - 11;
const WARM_UP_REQUESTS = 300;
const COSTLY_WARM_UP_REQUESTS = 3;

/** After the first round, only so many of the worst reads are repeated. */
const CANDIDATES = 8;

/** In a quick run, one of so many lists is read. */
const QUICK_STEP = 7;

/** Rounds at most: each starts a process and reads the largest lists. */
const MAX_ROUNDS = 3;

/** Times of reads by name, one for each round. */
type Times = Map<string, number[]>;

/** Reads a page once; the time is that of its response. */
async function read({ http }: Bench, server: Wharf, list: List, pageSize: number): Promise<number> {
  const { path, token = server.token } = list;
  const targets = [{ path: `${path}&pageSize=${pageSize}` }];
  const job = { token, method: "GET", targets, connections: 1, seconds: 0 } as const;
  return (await http.ask({ ...job, port: server.port })).medianMs;
}

/** One round in a fresh process: reads the chosen lists, and returns the time of a first page. */
async function measureRound(
  bench: Bench,
  { listsOf, count }: WorstList,
  data: string,
  times: Times,
): Promise<number> {
  await using server = await serve(bench, data);
  const { lists, whole, change } = await listsOf(server, data);
  for (let at = bench.options.quick ? WARM_UP_REQUESTS - 1 : 0; at < WARM_UP_REQUESTS; at++) {
    await read(bench, server, whole, WARM_UP_SIZE);
  }
  // Costly reads have processes of their own, which start with the first of them.
  const deep = { ...whole, path: `${whole.path}&skip=${Math.floor(count * 0.4)}` };
  for (let at = 0; at < COSTLY_WARM_UP_REQUESTS; at++)
    await read(bench, server, deep, WARM_UP_SIZE);
  const first: number[] = [];
  for (const size of REFERENCE_SIZES) first.push(await read(bench, server, whole, size));
  const isFirstRound = times.size === 0;
  // A quick run shows that lists work, not which is the worst.
  const step = bench.options.quick ? QUICK_STEP : 1;
  for (const [name, list] of [...lists].filter((_, at) => at % step === 0)) {
    for (const when of ["first time", "after a write"]) {
      const key = `${when}: ${name}`;
      if (isFirstRound) times.set(key, []);
      const known = times.get(key);
      if (known === undefined) continue;
      if (when === "after a write") await change();
      known.push(await read(bench, server, list, PAGE_SIZE));
    }
  }
  return median(first);
}

/** The names of reads, the worst first. */
function worstFirst(times: Times): string[] {
  const sorted = [...times].sort(([, a], [, b]) => median(b) - median(a));
  return sorted.map(([name]) => name);
}

async function measure(bench: Bench, spec: WorstList): Promise<Measured> {
  using folder = copyOf(await dataSet(spec.count, spec.data));
  const times: Times = new Map();
  const reference: number[] = [];
  let reads = 0;
  for (let round = 0; round < Math.min(MAX_ROUNDS, bench.options.rounds); round++) {
    reference.push(await measureRound(bench, spec, folder.path, times));
    reads = Math.max(reads, times.size);
    for (const name of worstFirst(times).slice(CANDIDATES)) times.delete(name);
  }
  const [worst = ""] = worstFirst(times);
  const name = worst.replaceAll(ORGANIZATION, "…");
  const notes = [`the worst of ${reads} reads in fresh processes, ${name}`];
  return { unit: "ms", ours: times.get(worst) ?? [], reference, notes };
}

/** A row for the worst list, against first pages of the whole list that were not read before. */
export function worstListRow(spec: WorstList): Row {
  const { work, atMost } = spec;
  return {
    work: `${work}, first time and after a write`,
    reference: "a distinct first page",
    target: { atMost },
    measure: (bench) => measure(bench, spec),
  };
}
