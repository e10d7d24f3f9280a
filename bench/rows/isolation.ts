import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { builtinRole } from "@wharf/contract";
import { makeBlob } from "../blob.ts";
import { copyOf, dataSet, ScratchData, someUids } from "../data-set.ts";
import type { BlobJob, BlobLoad } from "../load/blobs.ts";
import type { HttpJob, Target } from "../load/http.ts";
import type { Load } from "../load/load.ts";
import { alternately, median } from "../measure.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { blobBytes, OwnRegistry, transfer, transfersOf } from "../own-registry.ts";
import { Program } from "../program.ts";
import { type Bench, counted, type Measured, type Row, serve } from "../row.ts";
import { tokensOf } from "../signing-keys.ts";
import { FOLDERS } from "../tree-rows.ts";
import { groupPath, listPath } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

/**
 * Connections that GET at the same time: enough to keep one process busy. An idle one answers within a fraction of the time
 * of a commit, so that anything would multiply it.
 */
export const GET_CONNECTIONS = 16;

/** Time that the disturbance runs before a measurement begins. */
const HEAD_START_MS = 500;

/** The load of other clients during a measurement. */
interface Disturbance {
  readonly connections: number;
  readonly targets: readonly Target[];
}

/** Response times of one client, alone and beside others. */
interface Comparison {
  readonly server: Wharf;
  readonly client: Pick<HttpJob, "method" | "targets" | "connections">;
  /** Disturbs the server for some seconds, and returns how much the others got each second. */
  disturb(seconds: number): Promise<number>;
  /** The unit of what the others got. */
  readonly got: string;
  /** Digits of that; 0 by default. */
  readonly digits?: number;
}

/** Compares with clients that send requests. */
async function compareRequests(
  bench: Bench,
  { server, client, others }: Pick<Comparison, "server" | "client"> & { others: Disturbance },
): Promise<Measured> {
  const { port, token } = server;
  await using disturbing = new Program<HttpJob, Load>("load/http.ts", bench.cores.asking);
  const disturb = async (seconds: number) => {
    const job = { port, token, method: "GET" as const, seconds, ...others };
    const { answers, seconds: took } = await disturbing.ask(job);
    return answers / took;
  };
  return await compare(bench, { server, client, disturb, got: "responses" });
}

export async function compare(
  { http, options }: Bench,
  { server, client, disturb, got, digits = 0 }: Comparison,
): Promise<Measured> {
  const { port, token } = server;
  const seconds = options.seconds;
  const ask = () => http.ask({ ...client, port, token, seconds });
  const rates: number[] = [];
  const beside = async () => {
    const running = disturb(seconds + (2 * HEAD_START_MS) / 1000);
    await sleep(HEAD_START_MS);
    const load = await ask();
    rates.push(await running);
    return load;
  };
  await ask();
  await beside();
  const medians = { alone: [] as number[], beside: [] as number[] };
  const figures = await alternately(
    options.rounds,
    async () => {
      const { medianMs, p99Ms } = await ask();
      medians.alone.push(medianMs);
      return p99Ms;
    },
    async () => {
      const { medianMs, p99Ms } = await beside();
      medians.beside.push(medianMs);
      return p99Ms;
    },
  );
  const notes = [
    `median ${median(medians.beside).toFixed(2)} ms, alone ${median(medians.alone).toFixed(2)} ms`,
    `the others got ${median(rates).toFixed(digits)} ${got} per second`,
  ];
  return { unit: "ms", ...figures, notes };
}

function newGroup(name: string): Target {
  return { method: "POST", path: groupPath(ORGANIZATION), body: JSON.stringify({ name }) };
}

/** GETs of others while one client does the worst that it can. */
function getRow(doing: string, others: (bench: Bench) => Promise<GetComparison>): Row {
  return {
    work: `GET p99 while one client ${doing}`,
    reference: `alone, ${GET_CONNECTIONS} connections`,
    target: { atMost: 3 },
    async measure(bench) {
      await using resources = new AsyncDisposableStack();
      const { data, gets, disturbance } = await others(bench);
      if (data instanceof ScratchData) resources.use(data);
      const server = resources.use(
        await serve(bench, data instanceof ScratchData ? data.path : data),
      );
      const targets = gets.map((path) => ({ path }));
      const client = { method: "GET" as const, targets, connections: GET_CONNECTIONS };
      return await compareRequests(bench, { server, client, others: disturbance });
    },
  };
}

interface GetComparison {
  readonly data: string | ScratchData;
  readonly gets: readonly string[];
  readonly disturbance: Disturbance;
}

function skipRow({ sizes }: Options): Row {
  const skip = sizes.medium / 2;
  const doing = `skips ${counted(skip)} of ${counted(sizes.medium)} after each of its creates`;
  return getRow(doing, async () => {
    const data = copyOf(await dataSet(sizes.medium));
    const targets = [newGroup("another"), { path: listPath(skip) }];
    const gets = someUids(data.path, 1_000).map(groupPath);
    return { data, gets, disturbance: { connections: 1, targets } };
  });
}

const MAX_PAGE_SIZE = 200;

/** A request for each page size: pages that were read before are cached. */
function pageSizes(target: (pageSize: number) => Target): Target[] {
  return Array.from({ length: MAX_PAGE_SIZE }, (_, at) => target(at + 1));
}

/** Texts that all aliases of a data set contain. */
const COMMON_TEXTS = ["cve", "cve-2", "cve-20", "cve-2026-0", "ve-2026", "e-2026-0", "2026-0"];

function searchRow({ sizes }: Options): Row {
  const count = sizes.medium;
  return getRow(
    `searches ${counted(count)} advisories for what all have, by creation time`,
    async () => {
      const data = await dataSet(count, "advisories");
      const targets = pageSizes((pageSize) => {
        const text = COMMON_TEXTS[pageSize % COMMON_TEXTS.length];
        const query = `query=${text}&orderBy=created_at&pageSize=${pageSize}`;
        return { path: `/vulnerabilities/v2beta1/advisories?${query}` };
      });
      return { data, gets: [groupPath(ORGANIZATION)], disturbance: { connections: 1, targets } };
    },
  );
}

/** The largest folder, in orders that no index has for it. */
function sortRow({ sizes }: Options): Row {
  const folder = FOLDERS.at(-1)?.uid ?? "";
  const count = sizes.medium;
  return getRow(
    `lists a folder of ${counted(count)} groups in orders without an index`,
    async () => {
      const data = copyOf(await dataSet(count, "tree"));
      const orders = ["name", "created_at desc", "updated_at, name", "name desc, created_at"];
      const targets = pageSizes((pageSize) => {
        const order = encodeURIComponent(orders[pageSize % orders.length] ?? "");
        const query = `uidp.descendantsOf=${folder}&orderBy=${order}&pageSize=${pageSize}`;
        return { path: `/iam/v2beta1/groups?${query}` };
      });
      const gets = [groupPath(ORGANIZATION), ...FOLDERS.map(({ uid }) => groupPath(uid))];
      return { data, gets, disturbance: { connections: 1, targets } };
    },
  );
}

const LIST_CONNECTIONS = 32;

function createRow({ sizes }: Options): Row {
  return {
    work: `create p99 while ${LIST_CONNECTIONS} connections list ${counted(sizes.medium)} groups`,
    reference: "alone",
    target: { atMost: 4 },
    async measure(bench) {
      using data = copyOf(await dataSet(sizes.medium));
      await using server = await serve(bench, data.path);
      const targets = [newGroup("another")];
      const client = { method: "POST" as const, targets, connections: 1 };
      const others = { connections: LIST_CONNECTIONS, targets: [{ path: listPath() }] };
      return await compareRequests(bench, { server, client, others });
    },
  };
}

const TRANSFERS = 4;

/** GETs while the registry of the server is busy with large blobs. */
const blobsRow: Row = {
  work: `GET p99 while ${TRANSFERS} blobs are pushed and ${TRANSFERS} pulled`,
  reference: `alone, ${GET_CONNECTIONS} connections`,
  target: { atMost: 3 },
  async measure(bench) {
    await using own = await OwnRegistry.open(bench);
    const { server, organization } = own;
    const { token } = server;
    const blobs = Array.from({ length: 2 * TRANSFERS }, (_, at) =>
      makeBlob(at + 1, blobBytes(bench)),
    );
    const all = transfersOf(blobs, (repo) => own.repository(repo));
    const [pushes, pulls] = [all.slice(TRANSFERS), all.slice(0, TRANSFERS)];
    await transfer(bench, token, pulls);
    await using load = new Program<BlobJob, BlobLoad>("load/blobs.ts", bench.cores.asking);
    const targets = [{ path: groupPath(organization) }];
    return await compare(bench, {
      ...{ server, client: { method: "GET", targets, connections: GET_CONNECTIONS } },
      async disturb(seconds) {
        const { bytes, seconds: took } = await load.ask({ token, pushes, pulls, seconds });
        return bytes / took / 2 ** 20;
      },
      got: "MiB",
    });
  },
};

/** Requests that one client has in flight, against those of another caller. */
const IN_FLIGHT = 32;

/** The pause of an unhurried client between a response and its next request. */
const PAUSE_MS = 5;

/** Rows of a list of version 1, which has no pages: one page of version 2. */
const V1_ROWS = 150;

/** Measures one client's responses, in milliseconds. */
type Client = (server: Wharf, targets: readonly Target[]) => Promise<Pick<Load, "p99Ms">>;

/** A client that sends one request at a time, with pauses: what a person or a controller feels. */
function unhurried({ options: { seconds } }: Bench): Client {
  return async ({ port }, targets) => {
    const agent = new Agent({ keepAlive: true });
    const times: number[] = [];
    const until = performance.now() + seconds * 1000;
    for (let at = 0; performance.now() < until; at++) {
      const { path, method, body, token } = targets[at % targets.length] as Target;
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const begun = performance.now();
      const sent = request({ port, host: "127.0.0.1", path, method, agent, headers }).end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      await once(response.resume(), "end");
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
      times.push(performance.now() - begun);
      await sleep(PAUSE_MS);
    }
    agent.destroy();
    times.sort((a, b) => a - b);
    return { p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 };
  };
}

/** Clients that send their next request with each response. */
function saturating({ http, options: { seconds } }: Bench): Client {
  return ({ port, token }, targets) =>
    http.ask({ port, token, method: "GET", targets, seconds, connections: GET_CONNECTIONS });
}

/** A server on which two callers of one organization own it. */
async function twoOwners(bench: Bench, data: string) {
  const server = await serve(bench, data);
  const post = async (path: string, body: object): Promise<string> =>
    JSON.parse(await server.rest(`/iam/v2beta1/${path}`, JSON.stringify(body))).uid;
  const identities: string[] = [];
  for (const name of ["busy", "other"]) {
    const claimMatch = { issuer: "https://issuer.example", subject: name };
    const identityUid = await post(`identities/${ORGANIZATION}`, { name, claimMatch });
    await post(`roleBindings/${ORGANIZATION}`, {
      ...{ identityUid, roleUid: builtinRole("owner")?.uid },
    });
    identities.push(identityUid);
  }
  const folder = await post(`groups/${ORGANIZATION}`, { name: "folder" });
  for (let at = 0; at < V1_ROWS; at++) await post(`groups/${folder}`, { name: `team-${at}` });
  const tokens = await tokensOf(server, data, identities);
  const [busy = "", other = ""] = identities.map((uid) => tokens.get(uid));
  return { server, busy, other, folder };
}

/** The kinds of requests that the busy client has in flight. */
function kindsOfLoad(uids: readonly string[], folder: string): Record<string, Target[]> {
  return {
    gets: uids.map((uid) => ({ path: groupPath(uid) })),
    lists: pageSizes((pageSize) => ({ path: `${listPath()}&skip=${pageSize}` })),
    creates: [newGroup("another")],
    checks: uids.map((uid) => ({
      path: `/iam/v2beta1/access:check?resource=${uid}&capability=groups.create`,
    })),
    "v1 lists": [{ path: `/iam/v1/groups?uidp.childrenOf=${folder}` }],
    exports: [{ path: "/audit/v2beta1/entries:export" }],
  };
}

/** Others' requests while one client has many in flight, of the kind that delays them most. */
function fairnessRow(
  what: "GET" | "create",
  who: string,
  clientOf: (bench: Bench) => Client,
  { sizes }: Options,
): Row {
  return {
    work: `${what} p99 of ${who} while another caller has ${IN_FLIGHT} requests in flight`,
    reference: "alone",
    target: { atMost: 3 },
    async measure(bench) {
      const { rounds, seconds } = bench.options;
      const client = clientOf(bench);
      using data = copyOf(await dataSet(sizes.small));
      const uids = someUids(data.path, 200);
      const { server, busy, other, folder } = await twoOwners(bench, data.path);
      await using _server = server;
      await using disturbing = new Program<HttpJob, Load>("load/http.ts", bench.cores.asking);
      const gets = uids.map((uid) => ({ path: groupPath(uid), token: other }));
      const targets = what === "GET" ? gets : [{ ...newGroup("another"), token: other }];
      const ask = async () => (await client(server, targets)).p99Ms;
      const beside = async (load: readonly Target[]) => {
        const running = disturbing.ask({
          ...{ port: server.port, token: busy, method: "GET", targets: load },
          ...{ connections: IN_FLIGHT, seconds: seconds + (2 * HEAD_START_MS) / 1000 },
        });
        await sleep(HEAD_START_MS);
        const p99 = await ask();
        await running;
        return p99;
      };
      await ask();
      const notes: string[] = [];
      let worst = { ours: [] as number[], reference: [] as number[], ratio: 0 };
      for (const [kind, load] of Object.entries(kindsOfLoad(uids, folder))) {
        await beside(load);
        const figures = await alternately(rounds, ask, () => beside(load));
        const ratio = median(figures.ours) / median(figures.reference);
        notes.push(`${kind} ${ratio.toFixed(1)}`);
        if (ratio > worst.ratio) worst = { ...figures, ratio } as typeof worst;
      }
      const { ours, reference } = worst;
      return { unit: "ms", ours, reference, notes: [`ratio beside ${notes.join(", ")}`] };
    },
  };
}

function fairnessRows(options: Options): Row[] {
  const one = "one unhurried client";
  const many = `${GET_CONNECTIONS} saturating connections`;
  return (["GET", "create"] as const).flatMap((what) => [
    fairnessRow(what, one, unhurried, options),
    fairnessRow(what, many, saturating, options),
  ]);
}

/** The delay that the work of some clients causes for others. */
export function isolationRows(options: Options): Row[] {
  return [
    ...[skipRow(options), sortRow(options), searchRow(options), createRow(options), blobsRow],
    ...fairnessRows(options),
  ];
}
