import { join } from "node:path";
import { ScratchData } from "../data-set.ts";
import type { Load } from "../load/load.ts";
import { measureLoads, perSecond } from "../measure.ts";
import { newGroups } from "../new-groups.ts";
import { teamNamed } from "../organization.ts";
import { Program } from "../program.ts";
import type { InsertJob } from "../reference/inserts.ts";
import { type Row, serve } from "../row.ts";
import { groupPath, mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const CONNECTIONS = 64;

async function countBelow(server: Wharf, uid: string): Promise<number> {
  const page = await server.rest(`/iam/v2beta1/groups?uidp.childrenOf=${uid}&pageSize=1`);
  return Number(JSON.parse(page).totalCount);
}

export const createRow: Row = {
  work: `create group, durable, ${CONNECTIONS} connections`,
  reference: "raw single durable SQLite inserts, one by one",
  target: { atLeast: 0.55 },

  async measure(bench) {
    const { cores, http } = bench;
    using folder = new ScratchData();
    await using server = await serve(bench, folder.path);
    const made = JSON.parse(await server.rest("/iam/v2beta1/groups", '{"name":"organization"}'));
    const parent: string = made.uid;
    const json = await server.rest(groupPath(parent), JSON.stringify(teamNamed("first-01")));
    mustEqual(JSON.parse(await server.rest(groupPath(JSON.parse(json).uid))), JSON.parse(json));

    await using reference = new Program<InsertJob, Load>("reference/inserts.ts", cores.serving);
    const file = join(folder.path, "plain.db");
    const insert = {
      pid: reference.pid,
      load: (seconds: number) =>
        reference.ask({ file, parent, name: "team-00000000", json, seconds }),
    };

    let created = 1;
    const groups = newGroups(groupPath(parent));
    const { pid, port, token } = server;
    const create = {
      pid,
      load: async (seconds: number) => {
        const load = await http.ask({
          ...{ port, token, method: "POST", targets: groups(), connections: CONNECTIONS, seconds },
          bodyBytes: Buffer.byteLength(json),
        });
        created += load.answers;
        return load;
      },
    };
    const measured = await measureLoads(bench, "per s", perSecond, insert, create);
    // Every response must have created a group.
    mustEqual(await countBelow(server, parent), created);
    return measured;
  },
};
