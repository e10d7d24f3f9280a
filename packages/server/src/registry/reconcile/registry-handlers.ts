import { create, type DescMethod } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  ListRegistriesResponseSchema,
  type ReconcileRegistriesRequest,
  ReconcileRegistriesRequestSchema,
  ReconcileRegistriesResponseSchema,
  RegistriesService,
  type Registry,
  RegistryFindingsSchema,
  RegistrySchema,
} from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { failedPrecondition, notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import { readPass, requestPass } from "../../store/tables/registry/passes.ts";
import { readProgress } from "./reconcile-pass.ts";
import type { Reconciler } from "./reconciler.ts";

/** The handlers of RegistriesService: operators list attached registries and request reconcile passes. */
export function registryHandlers(
  deps: WriteDeps,
  reconcilers: ReadonlyMap<string, Reconciler>,
): [DescMethod, Handler][] {
  const { method } = RegistriesService;
  return [
    [method.listRegistries, listRegistries(deps.store, [...reconcilers.keys()])],
    [method.reconcileRegistries, reconcileRegistries(deps, reconcilers)],
  ];
}

function listRegistries(store: Store, hosts: readonly string[]): Handler {
  return async () => {
    const registries = await describeRegistries(store.reader, hosts);
    const response = create(ListRegistriesResponseSchema, { registries });
    return messageReply(ListRegistriesResponseSchema, response);
  };
}

function reconcileRegistries(
  deps: WriteDeps,
  reconcilers: ReadonlyMap<string, Reconciler>,
): Handler {
  const { store } = deps;
  return async (call, message) => {
    const request = message as ReconcileRegistriesRequest;
    const hosts = selectHosts([...reconcilers.keys()], request.host);
    await store.writeFor(call, async (tx) => {
      const mutation = new Mutation(call, tx, deps);
      for (const host of hosts) {
        await requestPass(tx, host, call.time);
        await audit(tx, call, { resource: "", detail: { host } });
        const { typeName: type } = ReconcileRegistriesRequestSchema;
        // The event belongs to the installation, not to a group.
        mutation.emit(call.method, host, { type, json: JSON.stringify({ host }) }, "");
      }
    });
    for (const host of hosts) reconcilers.get(host)?.wake();
    const registries = await describeRegistries(store.reader, hosts);
    const response = create(ReconcileRegistriesResponseSchema, { registries });
    return messageReply(ReconcileRegistriesResponseSchema, response);
  };
}

/** The named registry, or all. */
function selectHosts(attached: readonly string[], host: string): readonly string[] {
  if (attached.length === 0) {
    const description = "no registry is attached: set --registry-urls";
    throw failedPrecondition({ type: "NO_REGISTRY", description });
  }
  if (host === "") return attached;
  if (!attached.includes(host)) throw notFound("Registry", host);
  return [host];
}

function describeRegistries(reader: Reader, hosts: readonly string[]): Promise<Registry[]> {
  return Promise.all(
    hosts.map(async (host) => {
      const { began, finished, requested, problem, findings } = await readPass(reader, host);
      return create(RegistrySchema, {
        host,
        ...(began > 0 && { beginTime: timestampFromMs(began) }),
        ...(finished > 0 && { finishTime: timestampFromMs(finished) }),
        pending: requested > 0,
        problem,
        findings: create(RegistryFindingsSchema, readProgress(findings)),
      });
    }),
  );
}
