/** Measures what single operations cost, for docs/scale.md. */
import { readFileSync } from "node:fs";
import pg from "pg";
import { cpuMsOf, familyOf } from "../children.ts";
import { copyOf, dataSet, ScratchData, someUids } from "../data-set.ts";
import { pagePaths } from "../list-pages.ts";
import type { OpenJob, OpenLoad } from "../load/open.ts";
import type { RequestJob } from "../load/requests.ts";
import { ORGANIZATION } from "../organization.ts";
import { postgresDataSet } from "../postgres-data.ts";
import { Program } from "../program.ts";
import type { Bench } from "../row.ts";
import { groupPath, listPath } from "../verify.ts";
import { Wharf } from "../wharf.ts";
import {
  type Cost,
  type Costs,
  type LoadPoint,
  type Operation,
  quantilesOf,
  type StoreName,
} from "./cost.ts";
import { measureSizes } from "./sizes.ts";

/** The name that `--only` selects. */
export const COST_NAME = "cost of operations";

const CONNECTIONS = 64;

/** Groups that are read alternately, and names of new ones. */
const DISTINCT = 1_000;

/** Pages of the list that are read in turn. */
const PAGES = 100;

/** The shares of the capacity at which response times are measured; the first is that of an almost idle server. */
const LOAD_SHARES = [0.05, 0.5, 0.8];

/** Measurements last longer than those of rows: the tail of response times needs many requests. */
const DURATION_FACTOR = 2;

type Request = Pick<RequestJob, "method" | "targets">;

const OPERATIONS: Record<Operation, (site: Site) => Request | Promise<Request>> = {
  GET: ({ uids }) => gets(uids.map(groupPath)),
  "list 50": async ({ server }) => gets(await pagePaths(server, listPath(), PAGES)),
  create: () => ({
    method: "POST",
    targets: Array.from({ length: DISTINCT }, (_, at) => {
      const name = `new-${String(at).padStart(8, "0")}`;
      return { path: groupPath(ORGANIZATION), body: JSON.stringify({ name }) };
    }),
  }),
};

function gets(paths: readonly string[]): Request {
  return { method: "GET", targets: paths.map((path) => ({ path })) };
}

/** The server that operations run on. */
interface Site extends AsyncDisposable {
  readonly server: Wharf;
  readonly uids: readonly string[];
  /** The processes of PostgreSQL now. */
  databasePids(): number[];
}

async function siteOf({ cores, options }: Bench, store: StoreName): Promise<Site> {
  await using disposables = new AsyncDisposableStack();
  const flags: string[] = [];
  let databasePids = (): number[] => [];
  let data = await dataSet(options.sizes.medium);
  const folder = disposables.use(store === "SQLite" ? copyOf(data) : new ScratchData());
  if (store === "PostgreSQL") {
    const copy = await postgresDataSet(options.sizes.medium);
    data = copy.data;
    flags.push("--database-url", copy.url);
    const postmaster = await postmasterOf(copy.url);
    databasePids = () => familyOf(postmaster);
  }
  const server = disposables.use(
    await Wharf.start({
      ...{ data: folder.path, core: cores.serving, profiles: undefined, store: flags },
    }),
  );
  const uids = someUids(data, DISTINCT);
  const owned = disposables.move();
  return { server, uids, databasePids, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The first process of PostgreSQL: the parent of the one that serves a connection. */
async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  const stat = readFileSync(`/proc/${rows[0].pid}/stat`, "utf8");
  await client.end();
  return Number(stat.split(") ")[1]?.split(" ")[1]);
}

function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (cpuMsOf(pid) || 0), 0);
}

async function measureOperation(
  bench: Bench,
  open: Program<OpenJob, OpenLoad>,
  site: Site,
  operation: Operation,
  store: StoreName,
): Promise<{ cost: Cost; loads: LoadPoint[] }> {
  const { server } = site;
  const { port, token } = server;
  const request = { ...(await OPERATIONS[operation](site)), port, token };
  const { warmUpSeconds } = bench.options;
  const seconds = bench.options.seconds * DURATION_FACTOR;
  const job = { ...request, connections: CONNECTIONS };
  await bench.http.ask({ ...job, seconds: warmUpSeconds });
  const pids = { server: familyOf(server.pid), database: site.databasePids() };
  const before = { server: cpuMs(pids.server), database: cpuMs(pids.database) };
  const { answers, seconds: took } = await bench.http.ask({ ...job, seconds });
  const micros = (side: keyof typeof pids) =>
    Number((((cpuMs(pids[side]) - before[side]) * 1000) / answers).toFixed(1));
  const perSecond = answers / took;
  const [serverMicros, databaseMicros] = [micros("server"), micros("database")];
  const loads: LoadPoint[] = [];
  for (const share of LOAD_SHARES) {
    const { times } = await open.ask({ ...job, seconds, perSecond: perSecond * share });
    const ms = quantilesOf(times);
    loads.push({ operation, store, share, perSecond: perSecond * share, ms });
  }
  return { cost: { operation, store, perSecond, serverMicros, databaseMicros }, loads };
}

/** Measures all operations on both stores, one after the other. */
export async function measureCosts(bench: Bench): Promise<Costs> {
  await using open = new Program<OpenJob, OpenLoad>("load/open.ts", bench.cores.asking);
  const operations: Cost[] = [];
  const loads: LoadPoint[] = [];
  for (const store of ["SQLite", "PostgreSQL"] as const) {
    await using site = await siteOf(bench, store);
    for (const operation of Object.keys(OPERATIONS) as Operation[]) {
      console.error(`  ${operation} on ${store} …`);
      const measured = await measureOperation(bench, open, site, operation, store);
      operations.push(measured.cost);
      loads.push(...measured.loads);
    }
  }
  return { operations, loads, sizes: await measureSizes(bench.options) };
}
