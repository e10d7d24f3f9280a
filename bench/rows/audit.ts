import { ScratchData } from "../data-set.ts";
import { measureLoads, perSecond, type Side } from "../measure.ts";
import { Program } from "../program.ts";
import type { ServerAddress, ServerJob } from "../reference/chained-server.ts";
import type { Bench, Row } from "../row.ts";
import { groupPath } from "../verify.ts";

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
