import { dataSet, namesAt } from "../data-set.ts";
import { pagePaths } from "../list-pages.ts";
import { inTurn } from "../load/in-turn.ts";
import { measureLoads, millisecondsEach, perSecond, type Side } from "../measure.ts";
import type { Options } from "../options.ts";
import { Program } from "../program.ts";
import type { Served } from "../reference/http.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
import { listPath, mustBePage, mustEqual, PAGE_SIZE, plainAnswer } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const CONNECTIONS = 32;

/** Checks the first page of a server and returns it. */
async function verified(server: Wharf, data: string, total: number): Promise<string> {
  const page = await server.rest(listPath());
  mustBePage(page, { names: namesAt(data, 0, PAGE_SIZE), total, skipped: 0 });
  return page;
}

/** A server, or a reference that responds like one. */
interface Answerer {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
}

/** Requests pages in turn. */
function asking({ http }: Bench, { pid, port, token }: Answerer, paths: readonly string[]): Side {
  const targets = paths.map((path) => ({ path }));
  const job = { port, token, method: "GET", targets, connections: CONNECTIONS } as const;
  return { pid, load: inTurn(http, job) };
}

/** Lists of one page, or of each page in turn, against a program that answers with the bytes of the first. */
export function listRows({ sizes, quick }: Options): Row[] {
  const list = `list ${PAGE_SIZE} of ${counted(sizes.medium)} below a group, by name, with totalCount`;
  const all = quick ? 50 : sizes.medium / PAGE_SIZE;
  const row = (pages: number, name: string, atLeast: number): Row => ({
    work: `${list}: ${name}`,
    reference: "bare node:http answering the same bytes",
    target: { atLeast },

    async measure(bench) {
      const data = await dataSet(sizes.medium);
      await using server = await serve(bench, data);
      const page = await verified(server, data, sizes.medium);
      const paths = await pagePaths(server, listPath(), pages);
      const { serving } = bench.cores;
      await using reference = new Program<Served, { port: number }>("reference/http.ts", serving);
      const { port } = await reference.ask({ body: page });
      mustEqual(await plainAnswer(port), page);
      const bare = asking(bench, { pid: reference.pid, port, token: server.token }, paths);
      return await measureLoads(bench, "per s", perSecond, bare, asking(bench, server, paths));
    },
  });
  return [row(all, `${counted(all)} pages in turn`, 0.15), row(1, "the same page", 0.3)];
}

/** Pages that both sizes have. */
const COMMON_PAGES = 20;

export function listGrowthRow({ sizes }: Options): Row {
  return {
    work: `the first ${COMMON_PAGES} pages of a list by name in turn, with ${counted(sizes.large)} rows`,
    reference: `with ${counted(sizes.small)} rows`,
    target: { atMost: 1.5 },

    async measure(bench) {
      const small = await dataSet(sizes.small);
      const large = await dataSet(sizes.large);
      await using few = await serve(bench, small);
      await using many = await serve(bench, large);
      await verified(few, small, sizes.small);
      await verified(many, large, sizes.large);
      const side = async (server: Wharf) =>
        asking(bench, server, await pagePaths(server, listPath(), COMMON_PAGES));
      return await measureLoads(bench, "ms", millisecondsEach, await side(few), await side(many));
    },
  };
}
