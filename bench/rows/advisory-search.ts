import { aliasAt, artifactAt, componentAt, PER_ALIAS, PER_ARTIFACT } from "../advisory-rows.ts";
import { dataSet } from "../data-set.ts";
import { alternately, median } from "../measure.ts";
import type { Options } from "../options.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

/** Responses per measurement, which is their median. */
const ANSWERS = 20;

/** Advisories by which texts are classified. */
const SAMPLE_SIZE = 2_000;

/** Longest texts. */
const MAX_LENGTH = 9;

/** Texts per row: more than the results that the server keeps, so that each is searched for. */
const TEXTS = 100;

const ORDERS = ["", "&orderBy=updated_at%20desc"] as const;

/** Which share of advisories a text is found in. */
interface Share {
  readonly of: string;
  has(share: number): boolean;
}

const SHARES: readonly Share[] = [
  { of: "all", has: (share) => share === 1 },
  { of: "about half of the", has: (share) => share > 0.3 && share < 0.7 },
  { of: "few", has: (share) => share > 0 && share < 0.01 },
  { of: "no", has: (share) => share === 0 },
];

/** The searched texts of an advisory of the data set. */
function textsAt(at: number, count: number): string[] {
  const alias = aliasAt(at % Math.ceil(count / PER_ALIAS));
  const artifact = artifactAt(at % Math.ceil(count / PER_ARTIFACT));
  return [alias, artifact, componentAt(at)].map((text) => text.toLowerCase());
}

/** Parts of the texts of advisories that a share of them has, each once. */
function textsOf(share: Share, count: number): string[] {
  const step = Math.max(1, Math.floor(count / SAMPLE_SIZE));
  const sample = Array.from({ length: Math.min(SAMPLE_SIZE, count) }, (_, at) =>
    textsAt(at * step, count),
  );
  const candidates = new Set<string>();
  for (const text of sample.slice(0, 40).flat()) {
    for (let at = 0; at < text.length; at++) {
      for (let end = at + 1; end <= Math.min(text.length, at + MAX_LENGTH); end++) {
        const part = text.slice(at, end);
        candidates.add(part);
        if (share.of === "no") candidates.add(`${part}!`);
      }
    }
  }
  const found = [...candidates].filter((text) => {
    const matching = sample.filter((own) => own.some((one) => one.includes(text)));
    return share.has(matching.length / sample.length);
  });
  return found.slice(0, TEXTS);
}

/** Counts the advisories with a text, by testing each. */
function countAll(text: string, count: number): number {
  let total = 0;
  for (let at = 0; at < count; at++) {
    if (textsAt(at, count).some((one) => one.includes(text))) total++;
  }
  return total;
}

async function timed(server: Wharf, query: string): Promise<{ ms: number; total: number }> {
  const begun = performance.now();
  const page = JSON.parse(await server.rest(`/vulnerabilities/v2beta1/advisories?${query}`));
  const ms = performance.now() - begun;
  mustEqual(page.advisories.length, Math.min(Number(page.totalCount), 50));
  return { ms, total: Number(page.totalCount) };
}

async function compare(bench: Bench, share: Share) {
  const { sizes, rounds } = bench.options;
  const texts = textsOf(share, sizes.large);
  await using server = await serve(bench, await dataSet(sizes.large, "advisories"));
  const begun = performance.now();
  const [first = ""] = texts;
  for (const order of ORDERS) {
    const { total } = await timed(server, `query=${encodeURIComponent(first)}${order}`);
    mustEqual(total, countAll(first, sizes.large));
  }
  const load = performance.now() - begun;
  let next = 0;
  const measure = async (query: () => string) => {
    const times: number[] = [];
    for (let at = 0; at < ANSWERS; at++) {
      times.push((await timed(server, `${query()}${ORDERS[at % ORDERS.length]}`)).ms);
    }
    return median(times);
  };
  const plain = () => measure(() => "pageSize=50");
  const search = () =>
    measure(() => `query=${encodeURIComponent(texts[next++ % texts.length] as string)}`);
  await plain();
  await search();
  const figures = await alternately(rounds, plain, search);
  const notes = [
    `${texts.length} texts in turn, by uid and by update time, with totalCount`,
    `the first search, in each order: ${(load / 1000).toFixed(1)} s together`,
  ];
  return { unit: "ms" as const, ...figures, notes };
}

/** Searches of advisories by texts that all, half, few or none of them have. */
export function advisorySearchRows({ sizes }: Options): Row[] {
  return SHARES.map((share) => ({
    work: `search a text that ${share.of} advisories match among ${counted(sizes.large)}`,
    reference: "the first page without a text",
    target: { atMost: 20 },
    measure: (bench) => compare(bench, share),
  }));
}
