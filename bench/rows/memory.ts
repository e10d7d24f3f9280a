import { familyOf, memoryOf } from "../children.ts";
import { dataSet, ScratchData, someUids } from "../data-set.ts";
import { alternately } from "../measure.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
import { groupPath, listPath, mustEqual } from "../verify.ts";

const CONNECTIONS = 32;
const GROUPS = 1_000;

/** The memory of a fresh server after a load of reads, first pages and deep pages. */
async function memoryAfterLoad(
  bench: Bench,
  data: string,
  uids: readonly string[],
  skip: number,
  flags: readonly string[],
): Promise<number> {
  await using server = await serve(bench, data, flags);
  const { port, token } = server;
  const paths = [uids.map(groupPath), [listPath()], [listPath(skip)]];
  for (const some of paths) {
    const targets = some.map((path) => ({ path }));
    const seconds = bench.options.seconds / paths.length;
    await bench.http.ask({
      port,
      token,
      method: "GET",
      targets,
      connections: CONNECTIONS,
      seconds,
    });
  }
  return familyOf(server.pid).reduce((sum, pid) => sum + memoryOf(pid), 0);
}

/** An installation with the organization only. */
async function makeEmpty(bench: Bench, data: string): Promise<string> {
  await using server = await serve({ ...bench, profiles: undefined }, data);
  const made = JSON.parse(await server.rest("/iam/v2beta1/groups", '{"name":"organization"}'));
  return made.uid;
}

/** The memory of a server of one process, or of all processes of one with several workers. */
export function memoryRow({ sizes, rounds }: Options, workers = 1): Row {
  const flags = ["--workers", String(workers)];
  const of = workers === 1 ? "" : ` of ${workers} workers`;
  return {
    work: `memory${of} with ${counted(sizes.large)} groups after the load`,
    reference: "empty server after the same load",
    target: { atMost: 1.5 },

    async measure(bench) {
      const large = await dataSet(sizes.large);
      const uids = someUids(large, GROUPS);
      mustEqual(uids.length, GROUPS);
      mustEqual(uids[0]?.startsWith(ORGANIZATION), true);
      using scratch = new ScratchData();
      const only = await makeEmpty(bench, scratch.path);
      const skip = sizes.large / 2;
      const figures = await alternately(
        rounds,
        () => memoryAfterLoad(bench, scratch.path, [only], skip, flags),
        () => memoryAfterLoad(bench, large, uids, skip, flags),
      );
      return { unit: "MiB", ...figures, notes: ["a fresh process for every measurement"] };
    },
  };
}
