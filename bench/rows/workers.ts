import { availableParallelism } from "node:os";
import { newDatabase } from "../../packages/server/test/support/server/postgres.ts";
import { ScratchData } from "../data-set.ts";
import type { HttpJob, Target } from "../load/http.ts";
import { alternately } from "../measure.ts";
import { newGroups } from "../new-groups.ts";
import { teamNamed } from "../organization.ts";
import { type Bench, type Measured, NotMeasured, type Row } from "../row.ts";
import { groupPath, mustEqual } from "../verify.ts";
import { Wharf } from "../wharf.ts";

const CONNECTIONS = 128;

/** Groups of the organization, which are read alternately. */
const GROUPS = 200;

type Store = "SQLite" | "PostgreSQL";

type Request = Pick<HttpJob, "method" | "targets">;

interface Contents {
  readonly organization: string;
  readonly groups: readonly string[];
  /** Requests for groups that are not there yet. */
  readonly newGroups: () => Target[];
}

/** The work of a measurement: requests to an organization with these contents. */
interface Work {
  readonly name: string;
  requests(site: Contents): Request;
}

const WORKS: readonly Work[] = [
  {
    name: "GET group",
    requests: ({ groups }) => ({
      method: "GET",
      targets: groups.map((uid) => ({ path: groupPath(uid) })),
    }),
  },
  {
    name: "list 50 groups",
    requests: ({ organization }) => ({
      method: "GET",
      targets: [{ path: `/iam/v2beta1/groups?uidp.childrenOf=${organization}&pageSize=50` }],
    }),
  },
  {
    name: "create group, durable",
    requests: ({ newGroups }) => ({ method: "POST", targets: newGroups() }),
  },
];

/** A worker for each core against one, on both stores: the plain ratio, beside the load and the database. */
export const workerRows: readonly Row[] = (["SQLite", "PostgreSQL"] as const).flatMap((store) =>
  WORKS.map((work) => ({
    work: `${work.name}, a worker for each core, on ${store}, ${CONNECTIONS} connections`,
    reference: "one worker",
    measure: (bench) => measure(bench, store, work),
  })),
);

async function measure(bench: Bench, store: Store, work: Work): Promise<Measured> {
  const workers = availableParallelism();
  if (workers === 1) throw new NotMeasured("there is only one core");
  await using one = await Site.start(bench, store, 1);
  await using several = await Site.start(bench, store, workers);
  const { rounds, seconds, warmUpSeconds } = bench.options;
  // Each process compiles its code for itself.
  for (const site of [one, several]) await site.perSecond(work, warmUpSeconds);
  const figures = await alternately(
    rounds,
    () => one.perSecond(work, seconds),
    () => several.perSecond(work, seconds),
  );
  const others = store === "SQLite" ? "the load" : "the load and PostgreSQL";
  const notes = [`${workers} workers on ${workers} cores, which ${others} use, too`];
  return { unit: "per s", ...figures, notes };
}

/** A server with an organization of its own. */
class Site implements AsyncDisposable {
  readonly #bench: Bench;
  readonly #server: Wharf;
  readonly #scratch: ScratchData;
  readonly #contents: Contents;

  private constructor(bench: Bench, server: Wharf, scratch: ScratchData, contents: Contents) {
    this.#bench = bench;
    this.#server = server;
    this.#scratch = scratch;
    this.#contents = contents;
  }

  static async start(bench: Bench, store: Store, workers: number): Promise<Site> {
    const scratch = new ScratchData();
    const server = await Wharf.start({
      data: scratch.path,
      // Workers are there to use all cores.
      core: undefined,
      profiles: bench.profiles,
      flags: ["--workers", String(workers)],
      store: store === "SQLite" ? [] : ["--database-url", await newDatabase()],
    });
    const made = JSON.parse(await server.rest("/iam/v2beta1/groups", '{"name":"organization"}'));
    const organization: string = made.uid;
    const groups = await Promise.all(
      Array.from({ length: GROUPS }, async (_, at) => {
        const { path, body } = newGroup(organization, at);
        return JSON.parse(await server.rest(path, body)).uid as string;
      }),
    );
    mustEqual(new Set(groups).size, GROUPS);
    const contents = { organization, groups, newGroups: newGroups(groupPath(organization)) };
    return new Site(bench, server, scratch, contents);
  }

  async perSecond(work: Work, seconds: number): Promise<number> {
    const { port, token } = this.#server;
    const { method, targets } = work.requests(this.#contents);
    const job = { port, token, method, targets, connections: CONNECTIONS, seconds };
    const load = await this.#bench.http.ask(job);
    return load.answers / load.seconds;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.#scratch[Symbol.dispose]();
  }
}

function newGroup(organization: string, at: number): { path: string; body: string } {
  const word = String(at).padStart(8, "0");
  return { path: groupPath(organization), body: JSON.stringify(teamNamed(word)) };
}
