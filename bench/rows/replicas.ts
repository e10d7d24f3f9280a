import pg from "pg";
import { newDatabase } from "../../packages/server/test/support/server/postgres.ts";
import { ScratchData } from "../data-set.ts";
import { alternately, perSecond } from "../measure.ts";
import { type Bench, counted, type Measured, type Row } from "../row.ts";
import { mustEqual } from "../verify.ts";
import { Wharf } from "../wharf.ts";

const REPLICAS = 3;
const REPOS = 12;
/** So many that two connections rarely need the same one. */
const SPREAD_REPOS = 1_200;
const CONNECTIONS = 36;

/** Distinct updates, sent in rotation. */
const UPDATES = 1_000;

/** Replicas stand behind one address. */
const BASE_URL = "http://wharf.test";

async function deadlocks(database: pg.Client): Promise<number> {
  const sql = "SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()";
  return (await database.query(sql)).rows[0].deadlocks;
}

/** Replicas with repos to update. */
class Replicas {
  readonly all: readonly Wharf[];
  readonly database: pg.Client;
  readonly organization: string;
  readonly #run: Bench;

  private constructor(
    all: readonly Wharf[],
    database: pg.Client,
    organization: string,
    run: Bench,
  ) {
    this.all = all;
    this.database = database;
    this.organization = organization;
    this.#run = run;
  }

  static async start(servers: AsyncDisposableStack, run: Bench): Promise<Replicas> {
    const url = await newDatabase();
    const database = new pg.Client({ connectionString: url });
    servers.defer(() => database.end());
    await database.connect();
    const store = ["--database-url", url, "--base-url", BASE_URL];
    const all: Wharf[] = [];
    for (let replica = 0; replica < REPLICAS; replica++) {
      const folder = new ScratchData();
      servers.defer(() => folder[Symbol.dispose]());
      // On all cores, as PostgreSQL: replicas are there to use them.
      const where = { data: folder.path, core: undefined, profiles: run.profiles };
      all.push(servers.use(await Wharf.start({ ...where, store })));
    }
    const [first] = all as [Wharf];
    const created = await first.rest(
      "/iam/v2beta1/groups",
      JSON.stringify({ name: "organization" }),
    );
    return new Replicas(all, database, JSON.parse(created).uid, run);
  }

  get first(): Wharf {
    return this.all[0] as Wharf;
  }

  async createRepos(count: number): Promise<string[]> {
    const path = `/registry/v2beta1/repos/${this.organization}`;
    const repos: string[] = [];
    for (let at = 0; at < count; at++) {
      const body = JSON.stringify({ name: `repo-${count}-${at}` });
      repos.push(JSON.parse(await this.first.rest(path, body)).uid);
    }
    return repos;
  }

  /** Updates of repos per second. */
  async updates(
    repos: readonly string[],
    seconds: number,
    replicas: readonly Wharf[] = this.all,
  ): Promise<number> {
    const targets = Array.from({ length: Math.max(UPDATES, repos.length) }, (_, at) => ({
      // Neighbors differ, and each replica gets them in another order.
      path: `/registry/v2beta1/repos/${repos[(at * 7 + (at >> 4)) % repos.length]}`,
      body: JSON.stringify({ description: `update ${at}` }),
    }));
    const port = replicas.map((server) => server.port);
    const { token } = this.first;
    const job = { port, token, method: "PATCH", targets, connections: CONNECTIONS } as const;
    return perSecond(await this.#run.http.ask({ ...job, seconds }));
  }

  /** Each replica gets a part of the updates, and needs as many as a single one. */
  async warmUp(repos: readonly string[], seconds: number): Promise<void> {
    await this.updates(repos, seconds * REPLICAS);
  }

  async check(repo = ""): Promise<void> {
    const { description } = JSON.parse(await this.first.rest(`/registry/v2beta1/repos/${repo}`));
    mustEqual(/^update \d+$/.test(description), true);
  }
}

/**
 * Replicas that need the same rows must not slow each other down. They share all cores with each other, with PostgreSQL
 * and with the load.
 */
export const replicasRow: Row = {
  work: `update ${REPOS} shared repos, ${REPLICAS} replicas on PostgreSQL, all on the same cores`,
  reference: "one replica",
  target: { atLeast: 1 },

  async measure(run) {
    await using servers = new AsyncDisposableStack();
    return await compareWithFirst(await Replicas.start(servers, run), run);
  },
};

async function compareWithFirst(replicas: Replicas, { options }: Bench): Promise<Measured> {
  const { seconds, rounds, warmUpSeconds } = options;
  const repos = await replicas.createRepos(REPOS);
  await replicas.warmUp(repos, warmUpSeconds);
  const before = await deadlocks(replicas.database);
  const figures = await alternately(
    rounds,
    () => replicas.updates(repos, seconds, [replicas.first]),
    () => replicas.updates(repos, seconds),
  );
  await replicas.check(repos[0]);
  const found = (await deadlocks(replicas.database)) - before;
  const notes = [`${found} deadlocks`, "without flushes to disk"];
  return { unit: "per s", ...figures, notes };
}

/**
 * The part of the last row that is due to the rows: where cores are few, several replicas are slower than one on any
 * rows, because each of them has smaller batches.
 */
export const sharedRowsRow: Row = {
  work: `update ${REPOS} shared repos, as above`,
  reference: `${counted(SPREAD_REPOS)} repos, ${REPLICAS} replicas`,

  async measure(run) {
    const { seconds, rounds, warmUpSeconds } = run.options;
    await using servers = new AsyncDisposableStack();
    const replicas = await Replicas.start(servers, run);
    const [shared, spread] = [
      await replicas.createRepos(REPOS),
      await replicas.createRepos(SPREAD_REPOS),
    ];
    await replicas.warmUp(spread, warmUpSeconds);
    const figures = await alternately(
      rounds,
      () => replicas.updates(spread, seconds),
      () => replicas.updates(shared, seconds),
    );
    await replicas.check(shared[0]);
    return { unit: "per s", ...figures, notes: ["without flushes to disk"] };
  },
};
