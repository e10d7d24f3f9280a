import { dataSet, someUids } from "../data-set.ts";
import { measureLoads, perSecond, type Side } from "../measure.ts";
import { Program } from "../program.ts";
import type { Served } from "../reference/http.ts";
import { type Row, serve } from "../row.ts";
import { groupPath, mustEqual, plainAnswer } from "../verify.ts";

/** Groups that are requested alternately, so that no cache of a single response is measured. */
const GROUPS = 1_000;
const CONNECTIONS = 32;

export const getRest: Row = {
  work: "GET group by uid, REST",
  reference: "bare node:http answering the same bytes",
  target: { atLeast: 0.6 },

  async measure(bench) {
    const { options, cores, http } = bench;
    const data = await dataSet(options.sizes.medium);
    const uids = someUids(data, GROUPS);
    await using server = await serve(bench, data);
    const answers = await Promise.all(uids.map((uid) => server.rest(groupPath(uid))));
    for (const [i, answer] of answers.entries()) mustEqual(JSON.parse(answer).uid, uids[i]);
    const [body = ""] = answers;
    mustEqual(new Set(answers.map((answer) => answer.length)).size, 1);

    await using reference = new Program<Served, { port: number }>(
      "reference/http.ts",
      cores.serving,
    );
    const { port } = await reference.ask({ body });
    mustEqual(await plainAnswer(port), body);

    const side = (pid: number, to: number): Side => ({
      pid,
      load: (seconds) =>
        http.ask({
          port: to,
          token: server.token,
          method: "GET",
          targets: uids.map((uid) => ({ path: groupPath(uid) })),
          connections: CONNECTIONS,
          seconds,
          bodyBytes: Buffer.byteLength(body),
        }),
    });
    const bare = side(reference.pid, port);
    return await measureLoads(bench, "per s", perSecond, bare, side(server.pid, server.port));
  },
};
