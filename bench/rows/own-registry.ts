import { setTimeout as sleep } from "node:timers/promises";
import { makeBlob } from "../blob.ts";
import { cpuMsOf, familyOf, memoryOf } from "../children.ts";
import type { Transfer } from "../load/blobs.ts";
import { inTurn } from "../load/in-turn.ts";
import { alternately, measureLoads, millisecondsEach, perSecond, type Side } from "../measure.ts";
import type { Options } from "../options.ts";
import {
  blobBytes,
  OwnRegistry,
  startDistribution,
  transfer,
  transfersOf,
} from "../own-registry.ts";
import { type Bench, counted, type Row } from "../row.ts";
import { groupPath, mustEqual } from "../verify.ts";

const GIB = 2 ** 30;

/** The CPU time of a process and its children, for each GiB that is transferred. */
async function cpuPerGib(
  bench: Bench,
  pid: number,
  token: string,
  { pushes, pulls }: { pushes: readonly Transfer[]; pulls: readonly Transfer[] },
): Promise<number> {
  const cpu = () => familyOf(pid).reduce((sum, one) => sum + cpuMsOf(one), 0);
  const before = cpu();
  const { bytes } = await transfer(bench, token, pushes, pulls);
  return ((cpu() - before) * GIB) / bytes;
}

/** CPU of a push or a pull, against CNCF Distribution. */
function cpuRow(what: "push" | "pull", atMost: number): Row {
  return {
    work: `CPU to ${what} a GiB`,
    reference: "docker-registry (CNCF Distribution)",
    target: { atMost },
    async measure(bench) {
      await using own = await OwnRegistry.open(bench);
      const { server } = own;
      await using stack = new AsyncDisposableStack();
      const registry = await startDistribution(bench, server);
      stack.defer(() => registry.stop());
      const blobs = [makeBlob(1, blobBytes(bench))];
      const ours = transfersOf(blobs, (repo) => own.repository(repo));
      const theirs = transfersOf(blobs, (repo) => `http://${registry.host}/v2/acme/${repo}`);
      for (const some of [ours, theirs]) await transfer(bench, server.token, some);
      const figure = (pid: number, some: readonly Transfer[]) => () =>
        cpuPerGib(bench, pid, server.token, {
          pushes: what === "push" ? some : [],
          pulls: what === "pull" ? some : [],
        });
      const figures = await alternately(
        bench.options.rounds,
        figure(registry.pid, theirs),
        figure(server.pid, ours),
      );
      return { unit: "ms", ...figures, notes: ["HTTP/1.1 without TLS, one blob at a time"] };
    },
  };
}

const PUSHES = 20;

/** 300 MB. */
const MAX_MIB = 300e6 / 2 ** 20;

const SAMPLE_MS = 50;

/** Memory of many pushes at once: content is streamed, so its size must not count. */
function memoryRow({ quick }: Options): Row {
  return {
    work: `memory above idle of ${PUSHES} parallel pushes of ${quick ? "16 MiB" : "1 GiB"}`,
    reference: "the bound of 300 MB",
    target: { atMost: 1 },
    async measure(bench) {
      await using own = await OwnRegistry.open(bench);
      const { server } = own;
      const memory = () => familyOf(server.pid).reduce((sum, pid) => sum + memoryOf(pid), 0);
      const bytes = blobBytes(bench);
      const blobs = Array.from({ length: PUSHES }, (_, at) => makeBlob(at + 1, bytes));
      const pushes = transfersOf(blobs, (repo) => own.repository(repo));
      const idle = memory();
      const ours: number[] = [];
      for (let round = 0; round < bench.options.rounds; round++) {
        const pushing = transfer(bench, server.token, pushes);
        let isOver = false;
        const over = pushing.finally(() => {
          isOver = true;
        });
        let peak = 0;
        while (!isOver) {
          peak = Math.max(peak, memory());
          await Promise.race([sleep(SAMPLE_MS), over]);
        }
        await over;
        ours.push(peak - idle);
      }
      const notes = [`idle ${idle.toFixed(0)} MiB`];
      return { unit: "MiB", ours, reference: ours.map(() => MAX_MIB), notes };
    },
  };
}

const CONNECTIONS = 32;
const TAG = "latest";

/** Manifests by tag, against the same server's GET of a group. */
function manifestRow(method: "GET" | "HEAD"): Row {
  return {
    work: `${method} of a manifest by tag`,
    reference: "GET of a group of the same server",
    target: { atLeast: 0.5 },
    async measure(bench) {
      await using own = await OwnRegistry.open(bench);
      const { server, organization } = own;
      await own.pushImage(bench, "app", [TAG]);
      const path = `${own.path("app")}/manifests/${TAG}`;
      const headers = { authorization: `Bearer ${server.token}` };
      const answer = await fetch(`${server.url}${path}`, { headers });
      mustEqual([answer.status, ((await answer.json()) as object) !== null], [200, true]);
      const side = (how: "GET" | "HEAD", target: string): Side => ({
        pid: server.pid,
        load: inTurn(bench.http, {
          ...{ port: server.port, token: server.token, method: how },
          ...{ targets: [{ path: target }], connections: CONNECTIONS },
        }),
      });
      const [group, manifest] = [side("GET", groupPath(organization)), side(method, path)];
      return await measureLoads(bench, "per s", perSecond, group, manifest);
    },
  };
}

/** A manifest that was cached from an upstream, which is the same server, against one that was pushed. */
const cachedRow: Row = {
  work: "GET of a cached manifest by tag",
  reference: "of one that was pushed",
  target: { atLeast: 0.9 },
  async measure(bench) {
    await using own = await OwnRegistry.open(bench);
    const { server, organization } = own;
    await own.pushImage(bench, "pushed/app", [TAG]);
    const group = JSON.stringify({ name: "hub" });
    const { uid } = JSON.parse(await server.rest(`/iam/v2beta1/groups/${organization}`, group));
    const upstream = {
      url: server.url,
      path: `${organization}/pushed`,
      mode: "UPSTREAM_MODE_CACHE",
    };
    const credentials = { username: "_token", password: server.token };
    const body = JSON.stringify({ ...upstream, ...credentials, revalidateSeconds: 86_400 });
    await server.rest(`/registry/v2beta1/upstreams/${uid}`, body);
    const headers = { authorization: `Bearer ${server.token}` };
    const side = async (repo: string): Promise<Side> => {
      const path = `${own.path(repo)}/manifests/${TAG}`;
      mustEqual((await fetch(`${server.url}${path}`, { headers })).status, 200);
      const job = {
        ...{ port: server.port, token: server.token, connections: CONNECTIONS },
        method: "GET",
      } as const;
      return { pid: server.pid, load: inTurn(bench.http, { ...job, targets: [{ path }] }) };
    };
    const [pushed, cached] = [await side("pushed/app"), await side("hub/app")];
    return await measureLoads(bench, "per s", perSecond, pushed, cached);
  },
};

const FEW_TAGS = 100;
const MANY_TAGS = 10_000;
const PAGE = 100;

/** The first page of tags must not depend on how many there are. */
const tagsRow: Row = {
  work: `first ${PAGE} of ${counted(MANY_TAGS)} tags of a repo at /v2/`,
  reference: `of ${FEW_TAGS} tags`,
  target: { atMost: 1.3 },
  async measure(bench) {
    await using own = await OwnRegistry.open(bench);
    const { server } = own;
    const side = async (repo: string, count: number): Promise<Side> => {
      const tags = Array.from({ length: count }, (_, at) => `build-${String(at).padStart(6, "0")}`);
      await own.pushImage(bench, repo, tags);
      const path = `${own.path(repo)}/tags/list?n=${PAGE}`;
      const headers = { authorization: `Bearer ${server.token}` };
      const page = await (await fetch(`${server.url}${path}`, { headers })).json();
      mustEqual((page as { tags: string[] }).tags, tags.slice(0, PAGE));
      const job = {
        port: server.port,
        token: server.token,
        method: "GET",
        connections: 1,
      } as const;
      return { pid: server.pid, load: inTurn(bench.http, { ...job, targets: [{ path }] }) };
    };
    const [few, many] = [await side("few", FEW_TAGS), await side("many", MANY_TAGS)];
    return await measureLoads(bench, "ms", millisecondsEach, few, many);
  },
};

/** The registry of this server. */
export function ownRegistryRows(options: Options): Row[] {
  return [
    cpuRow("push", 1.3),
    cpuRow("pull", 1.2),
    memoryRow(options),
    manifestRow("GET"),
    manifestRow("HEAD"),
    cachedRow,
    tagsRow,
  ];
}
