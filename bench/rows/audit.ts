import { dataSet, ScratchData } from "../data-set.ts";
import { measureLoads, millisecondsEach, perSecond, type Side } from "../measure.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { Program } from "../program.ts";
import type { ServerAddress, ServerJob } from "../reference/chained-server.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
import { groupPath, mustEqual, PAGE_SIZE } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const CONNECTIONS = 64;

/** Names of new groups, used alternately. */
const NAMES = 1_000;

function groupNamed(number: number): string {
  return JSON.stringify({ name: `team-${String(number).padStart(8, "0")}` });
}

/** A server in a worker process, and creates of groups in it. */
async function creating(
  { http }: Bench,
  program: Program<ServerJob, ServerAddress>,
  job: ServerJob,
): Promise<Side> {
  const { url, token } = await program.ask(job);
  const post = async (path: string, body: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  };
  const { uid: parent } = JSON.parse(await post("/iam/v2beta1/groups", '{"name":"organization"}'));
  const bodyBytes = Buffer.byteLength(await post(groupPath(parent), groupNamed(0)));
  const targets = Array.from({ length: NAMES }, (_, at) => {
    return { path: groupPath(parent), body: groupNamed(at) };
  });
  const port = Number(new URL(url).port);
  return {
    pid: program.pid,
    load: (seconds) =>
      http.ask({
        ...{ port, token, method: "POST", targets, connections: CONNECTIONS, seconds, bodyBytes },
      }),
  };
}

export const auditChainRow: Row = {
  work: `create group with the hash chain of the audit log, ${CONNECTIONS} connections`,
  reference: "the same server without",
  target: { atLeast: 0.95 },

  async measure(bench) {
    const { serving } = bench.cores;
    using chainedData = new ScratchData();
    using plainData = new ScratchData();
    const file = "reference/chained-server.ts";
    await using chained = new Program<ServerJob, ServerAddress>(file, serving);
    await using plain = new Program<ServerJob, ServerAddress>(file, serving);
    return await measureLoads(
      bench,
      "per s",
      perSecond,
      await creating(bench, plain, { data: plainData.path, isChained: false }),
      await creating(bench, chained, { data: chainedData.path, isChained: true }),
    );
  },
};

const PATH =
  `/audit/v2beta1/entries?pageSize=${PAGE_SIZE}&filter.resource=${ORGANIZATION}` +
  "&filter.method=Delete*&filter.outcome=AUDIT_OUTCOME_SUCCEEDED";

/** Requests one page repeatedly. */
async function listing({ http }: Bench, server: Wharf, total: number): Promise<Side> {
  const page = await server.rest(PATH);
  const { entries, totalCount } = JSON.parse(page);
  mustEqual(entries.length, PAGE_SIZE);
  mustEqual(Number(totalCount), total);
  const { pid, port, token } = server;
  return {
    pid,
    load: (seconds) =>
      http.ask({
        ...{ port, token, method: "GET", targets: [{ path: PATH }], connections: 8, seconds },
        bodyBytes: Buffer.byteLength(page),
      }),
  };
}

/** The deletions that succeeded among so many entries of the data set. */
function deletionsAmong(count: number): number {
  let found = 0;
  for (let at = 2; at < count; at += 5) if (at % 37 !== 0) found++;
  return found;
}

export function auditListRow({ sizes }: Options): Row {
  return {
    work: `list ${PAGE_SIZE} of ${counted(sizes.large)} audit entries by resource, method and outcome, with totalCount`,
    reference: `of ${counted(sizes.small)}`,
    target: { atMost: 2 },

    async measure(bench) {
      await using few = await serve(bench, await dataSet(sizes.small, "audit"));
      await using many = await serve(bench, await dataSet(sizes.large, "audit"));
      return await measureLoads(
        bench,
        "ms",
        millisecondsEach,
        await listing(bench, few, deletionsAmong(sizes.small)),
        await listing(bench, many, deletionsAmong(sizes.large)),
      );
    },
  };
}
