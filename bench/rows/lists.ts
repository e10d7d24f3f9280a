import { dataSet, namesAt } from "../data-set.ts";
import { measureLoads, millisecondsEach, perSecond, type Side } from "../measure.ts";
import type { Options } from "../options.ts";
import { Program } from "../program.ts";
import type { Served } from "../reference/http.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
import { listPath, mustBePage, mustEqual, PAGE_SIZE, plainAnswer } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const CONNECTIONS = 32;

/** Checks a page of a server and returns it. */
async function verified(server: Wharf, data: string, total: number, skip = 0): Promise<string> {
  const page = await server.rest(listPath(skip));
  mustBePage(page, { names: namesAt(data, skip, PAGE_SIZE), total, skipped: skip });
  return page;
}

interface ListLoad {
  readonly connections: number;
  readonly page: string;
  readonly skip?: number;
}

/** A server, or a reference that responds like one. */
interface Answerer {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
}

/** Requests one page of a list repeatedly. */
function asking({ http }: Bench, whom: Answerer, { connections, page, skip = 0 }: ListLoad): Side {
  const { pid, port, token } = whom;
  return {
    pid,
    load: (seconds) =>
      http.ask({
        port,
        token,
        method: "GET",
        targets: [{ path: listPath(skip) }],
        connections,
        seconds,
        bodyBytes: Buffer.byteLength(page),
      }),
  };
}

export function listRow({ sizes }: Options): Row {
  return {
    work: `list ${PAGE_SIZE} of ${counted(sizes.medium)} below a group, by name, with totalCount`,
    reference: "bare node:http answering the same bytes",
    target: { atLeast: 0.3 },

    async measure(bench) {
      const data = await dataSet(sizes.medium);
      await using server = await serve(bench, data);
      const page = await verified(server, data, sizes.medium);

      const { serving } = bench.cores;
      await using reference = new Program<Served, { port: number }>("reference/http.ts", serving);
      const { port } = await reference.ask({ body: page });
      mustEqual(await plainAnswer(port), page);

      const load = { connections: CONNECTIONS, page };
      const bare = asking(bench, { pid: reference.pid, port, token: server.token }, load);
      return await measureLoads(bench, "per s", perSecond, bare, asking(bench, server, load));
    },
  };
}

export function listGrowthRow({ sizes }: Options): Row {
  return {
    work: `the same list with ${counted(sizes.large)} rows`,
    reference: `with ${counted(sizes.small)} rows`,
    target: { atMost: 1.5 },

    async measure(bench) {
      const small = await dataSet(sizes.small);
      const large = await dataSet(sizes.large);
      await using few = await serve(bench, small);
      await using many = await serve(bench, large);
      const fewPage = await verified(few, small, sizes.small);
      const manyPage = await verified(many, large, sizes.large);
      return await measureLoads(
        bench,
        "ms",
        millisecondsEach,
        asking(bench, few, { connections: CONNECTIONS, page: fewPage }),
        asking(bench, many, { connections: CONNECTIONS, page: manyPage }),
      );
    },
  };
}

export function skipRow({ sizes }: Options): Row {
  const skip = sizes.large / 2;
  return {
    work: `skip ${counted(skip)} of ${counted(sizes.large)}`,
    reference: "the first page",
    target: { atMost: 20 },

    async measure(bench) {
      const data = await dataSet(sizes.large);
      await using server = await serve(bench, data);
      const first = await verified(server, data, sizes.large);
      const begun = performance.now();
      await server.rest(listPath(skip));
      const jump = performance.now() - begun;
      const far = await verified(server, data, sizes.large, skip);
      const measured = await measureLoads(
        bench,
        "ms",
        ({ medianMs }) => medianMs,
        asking(bench, server, { connections: 1, page: first }),
        asking(bench, server, { connections: 1, page: far, skip }),
      );
      const note = `the first deep skip: ${jump.toFixed(1)} ms`;
      return { ...measured, notes: [...measured.notes, note] };
    },
  };
}
