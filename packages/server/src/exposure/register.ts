import type { Settings } from "../config/settings.ts";
import { DELIVERY_TIMES, type DeliveryTimes } from "../delivery/times.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import type { WriteDeps } from "../engine/write/mutation.ts";
import type { SinkPolicy } from "../events/subscriptions/sink-policy.ts";
import type { RemoteRegistry } from "../registry/client/remote.ts";
import type { ContentStorage } from "../registry/storage/content-storage.ts";
import type { FeedAccess } from "../vulnerabilities/feeds/access.ts";
import type { Api } from "../wire/api.ts";
import { notifyOfFindings } from "./assessment/notify.ts";
import { finishUnconcerned } from "./assessment/unconcerned-work.ts";
import { assessVulnerability } from "./assessment/vulnerability-work.ts";
import { requestUnread } from "./inventory/backfill.ts";
import { DocumentReader } from "./inventory/document-reader.ts";
import { forgetDeleted } from "./inventory/forget.ts";
import type { ContentsDeps } from "./inventory/image-contents.ts";
import { type IndexerDeps, readImage } from "./inventory/indexer.ts";
import { RegistryAvailability } from "./inventory/registry-availability.ts";
import { countTags } from "./inventory/tags.ts";
import { LayerReader } from "./layers/read-layers.ts";
import { exposureMethods } from "./methods.ts";
import { osvEndpoints } from "./osv/endpoints.ts";
import { followAdvisories } from "./records/advisory-follower.ts";
import { scanReportHandlers } from "./scans/handlers.ts";
import { requestSignatures } from "./signatures/request-signatures.ts";
import { readSignatures } from "./signatures/signature-reader.ts";
import { type RegisterSourcesDeps, registerSources } from "./sources/register.ts";
import { ExposureWorker, type Handlers, type WorkerDeps } from "./work/worker.ts";

export type ExposureDeps = WorkerDeps &
  ListDeps &
  WriteDeps &
  FeedAccess &
  Omit<RegisterSourcesDeps, "policy"> & {
    readonly settings: Settings;
    readonly sinkPolicy: SinkPolicy;
  };

/** The registries whose images are read. */
export interface ImageRegistries {
  /** The content of this server's registry, if it has one. */
  readonly storage: ContentStorage | undefined;
  /** Attached registries, by host. */
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
}

/** The parts of the area that work beside requests. */
export interface Exposure {
  /** Reads documents for requests, too. */
  readonly documents: DocumentReader;
  /** Access to the content of images. */
  readonly contents: ContentsDeps;
  start(): void;
  stop(): Promise<void>;
}

/** Registers the methods of exposure, the reading of images and the import of sources. */
export function registerExposure(
  api: Api,
  deps: ExposureDeps,
  { storage, remotes }: ImageRegistries,
  times: DeliveryTimes = DELIVERY_TIMES,
): Exposure {
  const documents = new DocumentReader();
  const availability = new RegistryAvailability(deps.log);
  const readsLayers = deps.settings.exposureLayers;
  const contents = { ...deps, storage, remotes, availability, readsLayers };
  const { handlers } = api;
  handlers.bindAll(exposureMethods(contents, documents));
  handlers.bindAll(scanReportHandlers(deps, documents));
  api.addEndpoints(() => osvEndpoints(deps));
  const sources = registerSources(api, { ...deps, policy: deps.sinkPolicy }, times);
  const worker = new ExposureWorker(
    deps,
    workHandlers(deps, { ...contents, documents, layers: new LayerReader() }),
    times,
  );
  return {
    documents,
    contents,
    start() {
      worker.start();
      sources.start();
    },
    async stop() {
      await Promise.all([worker.stop(), sources.stop(), documents.close()]);
    },
  };
}

function workHandlers(deps: ExposureDeps, reading: IndexerDeps): Handlers {
  const { store } = deps;
  return {
    readImage: (work, signal) =>
      work.kind === "signatures"
        ? readSignatures(reading, work, signal)
        : readImage(reading, work, signal),
    handlers: {
      backfill: (work) => requestUnread(store, work),
      tags: (work) => countTags(store, work),
      forget: (work) => forgetDeleted(store, work),
      keys: (work) => requestSignatures(store, work),
      vulnerability: (work, signal) => assessVulnerability(deps, work, signal),
      notify: (work) => notifyOfFindings(deps, work),
    },
    finishNeedless: (batch) => finishUnconcerned(store, batch),
    steps: [(mayWork) => followAdvisories(deps, mayWork)],
  };
}
