import pg from "pg";
import { newDatabase } from "../../packages/server/test/support/server/postgres.ts";
import { ScratchData } from "../data-set.ts";
import { alternately, perSecond } from "../measure.ts";
import type { Row } from "../row.ts";
import { mustEqual } from "../verify.ts";
import { Wharf } from "../wharf.ts";

const REPLICAS = 3;
const REPOS = 12;
const CONNECTIONS = 36;

/** Distinct updates, sent in rotation. */
const UPDATES = 1_000;

/** Replicas stand behind one address. */
const BASE_URL = "http://wharf.test";

async function deadlocks(database: pg.Client): Promise<number> {
  const sql = "SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()";
  return (await database.query(sql)).rows[0].deadlocks;
}

/** Replicas that need the same rows must not slow each other down. */
export const replicasRow: Row = {
  work: `update ${REPOS} shared repos, ${REPLICAS} replicas on PostgreSQL, ${CONNECTIONS} connections`,
  reference: "one replica",
  target: { atLeast: 1 },

  async measure({ http, options, profiles }) {
    using folders = new DisposableStack();
    await using servers = new AsyncDisposableStack();
    const url = await newDatabase();
    const database = new pg.Client({ connectionString: url });
    servers.defer(() => database.end());
    await database.connect();
    const store = ["--database-url", url, "--base-url", BASE_URL];
    const replicas: Wharf[] = [];
    for (let replica = 0; replica < REPLICAS; replica++) {
      const data = folders.use(new ScratchData()).path;
      // On all cores, as PostgreSQL: replicas are there to use them.
      replicas.push(servers.use(await Wharf.start({ data, core: undefined, profiles, store })));
    }
    const [first] = replicas as [Wharf];
    const create = async (path: string, name: string): Promise<string> =>
      JSON.parse(await first.rest(path, JSON.stringify({ name }))).uid;
    const organization = await create("/iam/v2beta1/groups", "organization");
    const repos: string[] = [];
    for (let at = 0; at < REPOS; at++)
      repos.push(await create(`/registry/v2beta1/repos/${organization}`, `repo-${at}`));

    const targets = Array.from({ length: UPDATES }, (_, at) => ({
      // Neighbors differ, and each replica gets them in another order.
      path: `/registry/v2beta1/repos/${repos[(at * 7 + (at >> 4)) % REPOS]}`,
      body: JSON.stringify({ description: `update ${at}` }),
    }));
    const { token } = first;
    const measure = (chosen: readonly Wharf[], seconds: number) => async () => {
      const port = chosen.map((server) => server.port);
      const job = { port, token, method: "PATCH", targets, connections: CONNECTIONS } as const;
      return perSecond(await http.ask({ ...job, seconds }));
    };
    await measure(replicas, options.warmUpSeconds)();
    const before = await deadlocks(database);
    const figures = await alternately(
      options.rounds,
      measure([first], options.seconds),
      measure(replicas, options.seconds),
    );
    const { description } = JSON.parse(await first.rest(`/registry/v2beta1/repos/${repos[0]}`));
    mustEqual(/^update \d+$/.test(description), true);
    const notes = [`${(await deadlocks(database)) - before} deadlocks`, "without flushes to disk"];
    return { unit: "per s", ...figures, notes };
  },
};
