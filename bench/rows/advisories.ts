import { aliasAt, artifactAt, PER_ALIAS, PER_ARTIFACT } from "../advisory-rows.ts";
import { dataSet } from "../data-set.ts";
import { alternately, median } from "../measure.ts";
import type { Options } from "../options.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

/** Responses per measurement, which is their median. */
const ANSWERS = 20;

/** A kind of search: the number of distinct searches, and the number of results of each. */
interface Search {
  readonly by: string;
  readonly atMost: number;
  among(count: number): number;
  /** The filter of one search. */
  filter(number: number): string;
  readonly found: number;
}

const SEARCHES: readonly Search[] = [
  {
    by: "alias",
    atMost: 2,
    among: (count) => count / PER_ALIAS,
    filter: (number) => `aliases=${aliasAt(number)}`,
    found: PER_ALIAS,
  },
  {
    by: "artifact",
    atMost: 2,
    among: (count) => count / PER_ARTIFACT,
    filter: (number) => `artifactNames=${artifactAt(number)}`,
    found: PER_ARTIFACT,
  },
];

/** Requests the first page of a different search each time, so that no cache answers. */
class SearchClient {
  readonly #server: Wharf;
  readonly #search: Search;
  readonly #among: number;
  #next = 0;

  constructor(server: Wharf, search: Search, count: number) {
    this.#server = server;
    this.#search = search;
    this.#among = search.among(count);
  }

  async ask(): Promise<number> {
    const number = (this.#next++ * 7_919) % this.#among;
    const path = `/vulnerabilities/v2beta1/advisories?${this.#search.filter(number)}`;
    const begun = performance.now();
    const page = JSON.parse(await this.#server.rest(path));
    const took = performance.now() - begun;
    mustEqual(Number(page.totalCount), this.#search.found);
    mustEqual(page.advisories.length, Math.min(this.#search.found, 50));
    return took;
  }

  async measure(): Promise<number> {
    const times: number[] = [];
    for (let turn = 0; turn < ANSWERS; turn++) times.push(await this.ask());
    return median(times);
  }
}

async function compare(bench: Bench, search: Search) {
  const { sizes, rounds } = bench.options;
  const [small, large] = [
    await dataSet(sizes.small, "advisories"),
    await dataSet(sizes.large, "advisories"),
  ];
  await using few = await serve(bench, small);
  await using many = await serve(bench, large);
  const reference = new SearchClient(few, search, sizes.small);
  const ours = new SearchClient(many, search, sizes.large);
  for (const client of [reference, ours]) await client.measure();
  const figures = await alternately(
    rounds,
    () => reference.measure(),
    () => ours.measure(),
  );
  const notes = [`each search is different and finds ${search.found}, with totalCount`];
  return { unit: "ms" as const, ...figures, notes };
}

/** Lists of advisories by the most common filters, among few and among many. */
export function advisoryRowsOf({ sizes }: Options): Row[] {
  return SEARCHES.map((search) => ({
    work: `list advisories by ${search.by} among ${counted(sizes.large)}`,
    reference: `among ${counted(sizes.small)}`,
    target: { atMost: search.atMost },
    measure: (bench) => compare(bench, search),
  }));
}
