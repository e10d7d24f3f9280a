import { create, type DescMethod } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type CollectGarbageRequest,
  CollectGarbageRequestSchema,
  type GarbageFindings,
  GarbageFindingsSchema,
  type GarbagePass,
  GarbagePassSchema,
  RegistryStorageService,
  type StorageStatus,
  StorageStatusSchema,
} from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { failedPrecondition } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { countDamaged } from "../../store/tables/registry/blobs.ts";
import { requestPass } from "../../store/tables/registry/passes.ts";
import type { Collector } from "./collector.ts";
import {
  type Findings,
  PASS_NAMES,
  type PassKind,
  readPassState,
  readStored,
  shareBefore,
} from "./findings.ts";

/** The handlers of RegistryStorageService: what is stored, and collections on request of operators. */
export function storageHandlers(
  deps: WriteDeps,
  collector: Collector | undefined,
): [DescMethod, Handler][] {
  const { method } = RegistryStorageService;
  return [
    [method.getStorageStatus, getStorageStatus(deps, collector)],
    [method.collectGarbage, collectGarbage(deps, collector)],
  ];
}

function getStorageStatus({ store }: WriteDeps, collector: Collector | undefined): Handler {
  return async () =>
    messageReply(StorageStatusSchema, await readStatus(store.reader, serving(collector)));
}

function collectGarbage(deps: WriteDeps, collector: Collector | undefined): Handler {
  const { store } = deps;
  return async (call, message) => {
    const running = serving(collector);
    const { dryRun } = message as CollectGarbageRequest;
    const kind: PassKind = dryRun ? "preview" : "collection";
    await store.writeFor(call, async (tx) => {
      const mutation = new Mutation(call, tx, deps);
      await requestPass(tx, PASS_NAMES[kind], call.time);
      await audit(tx, call, { resource: "", detail: { dryRun } });
      const { typeName: type } = CollectGarbageRequestSchema;
      // The event belongs to the installation, not to a group.
      mutation.emit(call.method, kind, { type, json: JSON.stringify({ dryRun }) }, "");
    });
    const status = await readStatus(store.reader, running);
    running.wake(kind);
    return messageReply(StorageStatusSchema, status);
  };
}

function serving(collector: Collector | undefined): Collector {
  if (collector !== undefined) return collector;
  const description = "this server is no registry: set --registry-storage";
  throw failedPrecondition({ type: "NO_REGISTRY", description });
}

async function readStatus(reader: Reader, { intervalMs }: Collector): Promise<StorageStatus> {
  const stored = await readStored(reader);
  return create(StorageStatusSchema, {
    ...(stored && {
      blobs: BigInt(stored.blobs),
      storedBytes: BigInt(stored.bytes),
      linkedBytes: BigInt(stored.linkedBytes),
      sumTime: timestampFromMs(stored.finished),
    }),
    damagedBlobs: BigInt(await countDamaged(reader)),
    collection: await readGarbagePass(reader, "collection"),
    preview: await readGarbagePass(reader, "preview"),
    intervalMinutes: intervalMs / 60_000,
  });
}

async function readGarbagePass(reader: Reader, kind: PassKind): Promise<GarbagePass> {
  const { began, last, requested, problem, current, ended } = await readPassState(reader, kind);
  return create(GarbagePassSchema, {
    pending: requested > 0,
    problem,
    ...(began > 0 && {
      beginTime: timestampFromMs(began),
      progress: shareBefore(last),
      current: findingsMessage(kind, current),
    }),
    ...(ended && {
      lastBeginTime: timestampFromMs(ended.began),
      finishTime: timestampFromMs(ended.finished),
      last: findingsMessage(kind, ended),
    }),
  });
}

function findingsMessage(kind: PassKind, findings: Findings | undefined): GarbageFindings {
  if (findings === undefined) return create(GarbageFindingsSchema);
  const { blobs, bytes, freedBlobs, freedBytes, leasedBlobs, leasedBytes, leasedUntil } = findings;
  // What a collection has deleted it has examined, too.
  const gone =
    kind === "collection" ? { blobs: freedBlobs, bytes: freedBytes } : { blobs: 0, bytes: 0 };
  return create(GarbageFindingsSchema, {
    blobs: BigInt(blobs + gone.blobs),
    bytes: BigInt(bytes + gone.bytes),
    freedBlobs: BigInt(freedBlobs),
    freedBytes: BigInt(freedBytes),
    leasedBlobs: BigInt(leasedBlobs),
    leasedBytes: BigInt(leasedBytes),
    ...(leasedUntil > 0 && { leaseEndTime: timestampFromMs(leasedUntil) }),
  });
}
