import { create } from "@bufbuild/protobuf";
import {
  ancestorsOf,
  type ListUpstreamsResponse,
  UpstreamSyncState as State,
  UpstreamMode,
  UpstreamsService,
} from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import type { ResourceStore } from "../../engine/catalog.ts";
import { mustBeUid } from "../../rpc/validate.ts";
import { type AdaptedMethod, constant, type Invoke, respondWith } from "../adapter.ts";

const { Registry, SyncStatus_Status: Status } = registryV1;

const STATUSES: Readonly<Partial<Record<State, registryV1.SyncStatus_Status>>> = {
  [State.QUEUED]: Status.QUEUED,
  [State.RUNNING]: Status.IN_PROGRESS,
  [State.FAILED]: Status.FAILED,
};

/** The progress of builds, which there are none, and of copies: of the upstream whose images a repo has. */
export function syncStatusMethods(
  invoke: Invoke,
  { store, catalog }: ResourceStore,
): AdaptedMethod[] {
  const { getUpdateStatus, getSyncStatus, listSyncStatuses } = Registry.method;
  return [
    constant(getUpdateStatus),
    respondWith(getSyncStatus, {}, async ({ repoId }) => {
      mustBeUid("repoId", repoId);
      const { reader } = store;
      const nearestFirst = [repoId, ...ancestorsOf(repoId)];
      const found = await catalog.upstreams.findMany(reader, nearestFirst);
      const upstream = found.get(nearestFirst.find((uid) => found.has(uid)) ?? "");
      if (upstream?.mode !== UpstreamMode.SYNC) return {};
      await catalog.upstreams.definition.hydrate?.(reader, [upstream], catalog);
      return { status: statusOf(upstream.status?.syncState) };
    }),
    respondWith(listSyncStatuses, {}, async (_request, call) => {
      const items: { status: registryV1.SyncStatus_Status }[] = [];
      for (let pageToken: string | undefined = ""; pageToken !== undefined; ) {
        const { listUpstreams } = UpstreamsService.method;
        const request = create(listUpstreams.input, { pageToken, pageSize: PAGE_SIZE });
        const page: ListUpstreamsResponse = await invoke(call, listUpstreams, request);
        const statuses = page.upstreams.map((one) => statusOf(one.status?.syncState));
        items.push(
          ...statuses.filter((one) => one !== Status.UNKNOWN).map((status) => ({ status })),
        );
        pageToken = page.nextPageToken || undefined;
      }
      return { items };
    }),
  ];
}

const PAGE_SIZE = 1_000;

function statusOf(state: State = State.UNSPECIFIED): registryV1.SyncStatus_Status {
  return STATUSES[state] ?? Status.UNKNOWN;
}
