import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  type CheckUpstreamRequest,
  CheckUpstreamResponseSchema,
  type SyncUpstreamRequest,
  UpstreamMode,
  UpstreamSchema,
  UpstreamsService,
} from "@wharf/contract";
import { DELIVERY_TIMES, type DeliveryTimes } from "../../delivery/times.ts";
import { audit } from "../../engine/audit/audit.ts";
import { failedPrecondition, notFound, WharfError } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { setUpstreamDue } from "../../store/tables/registry/upstream-states.ts";
import type { Mirrors } from "../serve/mirrors.ts";
import { upstreams } from "./definition.ts";
import { Flights } from "./flights.ts";
import { SyncScheduler } from "./sync-scheduler.ts";
import { UpstreamBlobs } from "./upstream-blobs.ts";
import { UpstreamCache } from "./upstream-cache.ts";
import { UpstreamClients, type UpstreamClientsDeps } from "./upstream-clients.ts";
import { type MirrorDeps, UpstreamManifests } from "./upstream-manifests.ts";

/** Upstreams as the registry works with them. */
export interface RegistryUpstreams {
  readonly mirrors: Mirrors;
  readonly handlers: readonly [DescMethod, Handler][];
  start(): void;
  stop(): Promise<void>;
}

export function registryUpstreams(
  deps: MirrorDeps & Omit<UpstreamClientsDeps, "timeoutMs">,
  times: DeliveryTimes = DELIVERY_TIMES,
): RegistryUpstreams {
  const clients = new UpstreamClients({ ...deps, timeoutMs: times.timeoutMs });
  const flights = new Flights(deps.store, times, clients.signal);
  const manifests = new UpstreamManifests(deps, clients);
  const blobs = new UpstreamBlobs(deps, clients, flights);
  const shared = { ...deps, clients, flights, manifests, blobs };
  const scheduler = new SyncScheduler(shared, times);
  return {
    mirrors: new UpstreamCache(shared),
    handlers: [
      [UpstreamsService.method.checkUpstream, checkMethod(deps, clients)],
      [UpstreamsService.method.syncUpstream, syncMethod(deps)],
    ],
    start: () => scheduler.start(),
    async stop() {
      await scheduler.stop();
      await clients.stop();
      await flights.close();
    },
  };
}

/** The same methods of a server that has attached registries only. */
export const UPSTREAMS_WITHOUT_REGISTRY: readonly [DescMethod, Handler][] = [
  UpstreamsService.method.checkUpstream,
  UpstreamsService.method.syncUpstream,
].map((method) => [
  method,
  async () => {
    const description = "this server has no registry of its own: see --registry-storage";
    throw failedPrecondition({ type: "NO_REGISTRY", description });
  },
]);

/** Asks an upstream for a tag. */
function checkMethod({ store, catalog }: MirrorDeps, clients: UpstreamClients): Handler {
  return async (call, request) => {
    const { uid, repository, tag } = request as CheckUpstreamRequest;
    const upstream = await catalog.upstreams.find(store.reader, uid);
    if (upstream === undefined) throw notFound(catalog.upstreams.typeName, uid);
    const isRepo = (await catalog.repos.find(store.reader, uid)) !== undefined;
    const name = repository || (isRepo ? upstream.path : "");
    await store.writeFor(call, (tx) => audit(tx, call, { resource: uid }));
    const { client, remote } = clients.of(upstream);
    const response = create(CheckUpstreamResponseSchema);
    try {
      if (name === "") await client.ping();
      else response.digest = (await remote.digestOf(name, tag || "latest")) ?? "";
      if (name !== "" && response.digest === "")
        response.problem = `the upstream ${client.host}: has no ${name}:${tag || "latest"}`;
    } catch (error) {
      if (!(error instanceof WharfError) || error.code === "INTERNAL") throw error;
      response.problem = error.message.slice(error.message.indexOf(": ") + 2);
    }
    const { rate } = clients.of(upstream);
    if (rate !== undefined) response.rateLimitRemaining = BigInt(rate);
    return messageReply(CheckUpstreamResponseSchema, response);
  };
}

/** Makes a synchronization due. The scheduler of some process runs it. */
function syncMethod({ store, catalog }: MirrorDeps): Handler {
  return async (call, request) => {
    const { uid } = request as SyncUpstreamRequest;
    const upstream = await store.writeFor(call, async (tx) => {
      const row = await upstreams.table.findForChange(tx, uid);
      if (row === undefined) throw notFound(upstreams.typeName, uid);
      const found = upstreams.fromRow(row);
      if (found.mode !== UpstreamMode.SYNC) {
        const description = "only upstreams with the mode SYNC are synchronized";
        throw failedPrecondition({ type: "NOT_SYNCHRONIZED", description });
      }
      await setUpstreamDue(tx, uid, call.time);
      await audit(tx, call, { resource: uid });
      return found;
    });
    await upstreams.definition.hydrate?.(store.reader, [upstream], catalog);
    return messageReply(UpstreamSchema, upstream);
  };
}
