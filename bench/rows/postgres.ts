import { ScratchData, someUids } from "../data-set.ts";
import { pagePaths } from "../list-pages.ts";
import type { HttpJob } from "../load/http.ts";
import { measureLoads, perSecond, type Side } from "../measure.ts";
import { newGroups } from "../new-groups.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { postgresDataSet } from "../postgres-data.ts";
import { Program } from "../program.ts";
import type { PostgresJob } from "../reference/postgres.ts";
import { type Bench, counted, type Measured, type Row } from "../row.ts";
import { groupPath, mustEqual } from "../verify.ts";
import { Wharf } from "../wharf.ts";

/** Groups and pages that are requested alternately. */
const DISTINCT = 1_000;

const REFERENCE = "node:http with bare pg, one statement per request";

type Next = () => Targets;

type Targets = Pick<HttpJob, "method" | "targets" | "connections">;

interface Work {
  /** Creates the requests of the next measurement. */
  readonly ours: (uids: readonly string[], server: Wharf) => Next | Promise<Next>;
  readonly bare: (uids: readonly string[]) => Next;
}

/** Measures a server on PostgreSQL against a bare program on the same database. */
async function against(bench: Bench, { ours, bare }: Work): Promise<Measured> {
  const { cores, http, options, profiles } = bench;
  const { url, data } = await postgresDataSet(options.sizes.medium);
  const uids = someUids(data, DISTINCT);
  using folder = new ScratchData();
  const store = ["--database-url", url, "--base-url", "http://wharf.test"];
  await using server = await Wharf.start({
    ...{ data: folder.path, core: cores.serving, profiles, store },
  });
  mustEqual(JSON.parse(await server.rest(groupPath(uids[0] as string))).uid, uids[0]);
  await using reference = new Program<PostgresJob, { port: number }>(
    "reference/postgres.ts",
    cores.serving,
  );
  const { port } = await reference.ask({ url, parent: ORGANIZATION });
  const side = (pid: number, to: number, next: Next): Side => ({
    pid,
    load: (seconds) => http.ask({ ...next(), port: to, token: server.token, seconds }),
  });
  return await measureLoads(
    bench,
    "per s",
    perSecond,
    side(reference.pid, port, bare(uids)),
    side(server.pid, server.port, await ours(uids, server)),
  );
}

function reads(connections: number, paths: readonly string[]): Next {
  const targets = paths.map((path) => ({ path }));
  return () => ({ method: "GET", connections, targets });
}

const getRow: Row = {
  work: "PostgreSQL: GET group by uid",
  reference: REFERENCE,
  target: { atLeast: 0.7 },
  measure: (bench) =>
    against(bench, {
      ours: (uids) => reads(32, uids.map(groupPath)),
      bare: (uids) =>
        reads(
          32,
          uids.map((uid) => `/${uid}`),
        ),
    }),
};

/** Pages of the list that are requested in turn. */
const PAGES = 100;

/** The first names of the pages of the reference: names of the data set are eight random hexadecimal digits. */
function firstNames(): string[] {
  return Array.from({ length: PAGES }, (_, at) => `team-${at.toString(16).padStart(2, "0")}`);
}

function listRow({ sizes }: Options): Row {
  const list = `/iam/v2beta1/groups?uidp.childrenOf=${ORGANIZATION}&pageSize=50&orderBy=name`;
  return {
    work: `PostgreSQL: list 50 of ${counted(sizes.medium)} by name, with totalCount`,
    reference: `${REFERENCE}, without a total`,
    target: { atLeast: 0.7 },
    measure: (bench) =>
      against(bench, {
        ours: async (_, server) => reads(32, await pagePaths(server, list, PAGES)),
        bare: () =>
          reads(
            32,
            firstNames().map((name) => `/list?from=${name}`),
          ),
      }),
  };
}

function creates(path: string): Next {
  const groups = newGroups(path);
  return () => ({ method: "POST", connections: 64, targets: groups() });
}

const createRow: Row = {
  work: "PostgreSQL: create group, durable, 64 connections",
  reference: REFERENCE,
  target: { atLeast: 0.55 },
  measure: (bench) => {
    return against(bench, {
      ours: () => creates(groupPath(ORGANIZATION)),
      bare: () => creates("/"),
    });
  },
};

export function postgresRows(options: Options): Row[] {
  return [getRow, listRow(options), createRow];
}
