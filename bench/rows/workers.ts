import { availableParallelism } from "node:os";
import { newDatabase } from "../../packages/server/test/support/server/postgres.ts";
import { familyOf } from "../children.ts";
import { CpuShares } from "../cpu-shares.ts";
import { ScratchData } from "../data-set.ts";
import type { HttpJob, Target } from "../load/http.ts";
import { alternately } from "../measure.ts";
import { newGroups } from "../new-groups.ts";
import type { Options } from "../options.ts";
import { teamNamed } from "../organization.ts";
import { type Bench, type Measured, NotMeasured, type Row } from "../row.ts";
import { groupPath, mustEqual } from "../verify.ts";
import { Wharf } from "../wharf.ts";

const CONNECTIONS = 128;

/** Groups of the organization, which are read alternately. */
const GROUPS = 200;

/** The part of a core that a process has: the load and the database need the rest. */
const SHARE = 0.25;

type Store = "SQLite" | "PostgreSQL";

type Request = Pick<HttpJob, "method" | "targets">;

interface Contents {
  readonly organization: string;
  readonly groups: readonly string[];
  /** Requests for groups that are not there yet. */
  readonly newGroups: () => Target[];
}

/** What is measured: requests to an organization with these contents. */
interface Work {
  readonly name: string;
  readonly target: number;
  requests(site: Contents): Request;
}

const WORKS: readonly Work[] = [
  {
    name: "GET group",
    target: 1.7,
    requests: ({ groups }) => ({
      method: "GET",
      targets: groups.map((uid) => ({ path: groupPath(uid) })),
    }),
  },
  {
    name: "list 50 groups",
    target: 1.7,
    requests: ({ organization }) => ({
      method: "GET",
      targets: [{ path: `/iam/v2beta1/groups?uidp.childrenOf=${organization}&pageSize=50` }],
    }),
  },
  {
    name: "create group, durable",
    target: 1,
    requests: ({ newGroups }) => ({ method: "POST", targets: newGroups() }),
  },
];

function rowOf(work: Work, workers: number, store: Store): Row {
  return {
    work: `${work.name}, ${workers} workers on ${store}, ${CONNECTIONS} connections`,
    reference: "one worker",
    measure: (bench) => measure(bench, store, work, workers),
  };
}

/** Several workers against one, on both stores. More than two only inform: most machines have other work, too. */
export function workerRows({ quick }: Options): Row[] {
  return [
    ...(["SQLite", "PostgreSQL"] as const).flatMap((store) =>
      WORKS.map((work) => ({ ...rowOf(work, 2, store), target: { atLeast: work.target } })),
    ),
    ...(quick ? [] : WORKS.map((work) => rowOf(work, 4, "SQLite"))),
  ];
}

async function measure(bench: Bench, store: Store, work: Work, workers: number): Promise<Measured> {
  const [cores, needed] = [availableParallelism(), workers * SHARE + 1];
  if (cores < needed)
    throw new NotMeasured(`${workers} workers need ${needed} cores, not ${cores}`);
  using shares = new CpuShares(SHARE);
  await using one = await Site.start(bench, store, 1);
  await using several = await Site.start(bench, store, workers);
  for (const site of [one, several]) site.limit(shares);
  const { rounds, seconds, warmUpSeconds } = bench.options;
  // Each process compiles its code for itself.
  for (const site of [one, several]) await site.perSecond(work, warmUpSeconds);
  const figures = await alternately(
    rounds,
    () => one.perSecond(work, seconds),
    () => several.perSecond(work, seconds),
  );
  const notes = [`each process has ${SHARE} of a core: the load and the database find free ones`];
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

  /** Limits each process to its share of a core. */
  limit(shares: CpuShares): void {
    for (const pid of familyOf(this.#server.pid)) shares.give(pid);
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
