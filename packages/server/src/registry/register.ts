import { statfs } from "node:fs/promises";
import { ImagesService, RetentionPoliciesService } from "@wharf/contract";
import type { Authenticator } from "../auth/authenticator.ts";
import type { DeliveryTimes } from "../delivery/times.ts";
import type { AuditedDeps } from "../engine/audit/aggregator.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import type { CreateDeps } from "../engine/write/creates.ts";
import type { HostLookup } from "../lib/net/host-lookup.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { ExchangeDeps } from "../sts/authorize-subject.ts";
import type { Api } from "../wire/api.ts";
import { historyEndpoint } from "./access/history-endpoint.ts";
import { RegistryKeys } from "./access/keys.ts";
import type { RemoteRegistry } from "./client/remote.ts";
import { Collector } from "./collection/collector.ts";
import { storageHandlers } from "./collection/storage-handlers.ts";
import { CONTENT_TIMES, type ContentTimes } from "./content-times.ts";
import { registryEndpoints } from "./endpoints.ts";
import { imageHandlers } from "./images/definition.ts";
import { deleteImage } from "./images/delete-image.ts";
import { imageConfigMethod } from "./images/image-config.ts";
import { imageManifestMethod } from "./images/image-manifest.ts";
import { listImageLocations, listImages } from "./images/list-images.ts";
import { RegistrySync, type RegistrySyncDeps } from "./reconcile/registry-sync.ts";
import { deletedTagHandlers } from "./retention/deleted-tags.ts";
import { RetentionJob } from "./retention/job.ts";
import { previewRetention } from "./retention/preview.ts";
import { RegistryAuthorizer } from "./serve/access.ts";
import { RegistryServer } from "./serve/endpoint.ts";
import { OwnRegistry } from "./serve/own-registry.ts";
import { settingsHandlers } from "./settings.ts";
import { signatureHandlers } from "./signatures/handlers.ts";
import type { ContentStorage } from "./storage/content-storage.ts";
import { DiskStorage } from "./storage/disk-storage.ts";
import { RemoteTags } from "./tags/remote-tags.ts";
import { TagWrites } from "./tags/tag-writes.ts";
import type { UpstreamPolicy } from "./upstreams/deps.ts";
import { registryUpstreams, UPSTREAMS_WITHOUT_REGISTRY } from "./upstreams/register.ts";
import { usageHandlers } from "./usage/usage.ts";

const MIB = 1024 * 1024;

export interface RegisterRegistryDeps
  extends Omit<RegistrySyncDeps, "keys" | "own">,
    CreateDeps,
    ListDeps,
    AuditedDeps {
  readonly secrets: Secrets;
  /** Which addresses upstreams may have. */
  readonly sinkPolicy: UpstreamPolicy;
  readonly hosts?: HostLookup | undefined;
  readonly authenticator: Authenticator;
}

/** Free bytes of the database's disk; a server of PostgreSQL has one of its own. */
async function freeBytesFor({
  databaseUrl,
  data,
}: RegisterRegistryDeps["settings"]): Promise<number> {
  if (databaseUrl !== "") return Number.POSITIVE_INFINITY;
  const { bavail, bsize } = await statfs(data);
  return bavail * bsize;
}

/** The parts of the registry area that others work with. */
export interface Registry {
  /** Reconciles attached registries in the background. */
  readonly sync: RegistrySync;
  /** The registry of this server, if it has one. */
  readonly server: RegistryServer | undefined;
  readonly tagWrites: TagWrites;
  /** Deletes what no policy keeps, if this server has a registry. */
  readonly retention: RetentionJob | undefined;
  /** The content of this server's registry, if it has one. */
  readonly storage: ContentStorage | undefined;
  /** Attached registries as background tasks read them, by host. */
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
}

/** Registers access to registries, images and tags, and the notifications of attached registries. */
export function registerRegistry(
  api: Api,
  { secrets, sinkPolicy: policy, hosts, authenticator, ...deps }: RegisterRegistryDeps,
  exchange: ExchangeDeps,
  times: ContentTimes = CONTENT_TIMES,
  deliveryTimes?: DeliveryTimes,
): Registry {
  const keys = new RegistryKeys(deps.store, secrets);
  const { registryStorage, registryMinFree, registryScrubRate, registryGcMinutes } = deps.settings;
  const transferred = (direction: string, bytes: number) =>
    deps.metrics.count("wharf_registry_bytes_total", { direction }, bytes);
  const storage =
    registryStorage === undefined ? undefined : new DiskStorage(registryStorage, transferred);
  const own = storage && new OwnRegistry(deps, storage);
  const sync = RegistrySync.open({ ...deps, keys, own });
  const tokens = { exchange, authenticator, keys };
  const authorizer = new RegistryAuthorizer(tokens);
  const history = historyEndpoint(tokens);
  const serve = storage && {
    ...{ ...deps, storage, authorizer, times },
    minFreeBytes: registryMinFree * MIB,
    databaseFreeBytes: () => freeBytesFor(deps.settings),
  };
  const { metrics } = deps;
  const intervalMs = registryGcMinutes * 60_000;
  const collector = storage && new Collector({ ...deps, ...times, storage, intervalMs });
  const upstreams = serve && registryUpstreams({ ...serve, secrets, policy, hosts }, deliveryTimes);
  const scrubBytesPerSecond = registryScrubRate * MIB;
  const attached = [...sync.remotes.keys()];
  const retention = serve && new RetentionJob({ ...deps, attached });
  const server =
    serve &&
    collector &&
    upstreams &&
    new RegistryServer(
      { ...serve, mirrors: upstreams.mirrors },
      { metrics, scrubBytesPerSecond, collector, upstreams },
      history,
    );
  const tagWrites = new TagWrites(deps, new RemoteTags(deps, sync.contents));
  const { handlers } = api;
  handlers.bindAll(imageHandlers(deps.store));
  const { method } = ImagesService;
  handlers.bind(method.getImageConfig, imageConfigMethod(deps.store, sync.contents));
  handlers.bind(method.getImageManifest, imageManifestMethod(deps.store, sync.contents));
  handlers.bind(method.listImages, listImages(deps));
  handlers.bind(method.deleteImage, deleteImage(deps, sync.contents));
  handlers.bind(
    method.listImageLocations,
    listImageLocations(deps, sync.contents, () => authorizer.service),
  );
  handlers.bindAll(tagWrites.handlers());
  handlers.bindAll(settingsHandlers(deps));
  handlers.bindAll(usageHandlers(deps));
  handlers.bindAll(signatureHandlers(deps));
  const { previewRetention: preview } = RetentionPoliciesService.method;
  handlers.bind(preview, previewRetention(deps, attached));
  handlers.bindAll(deletedTagHandlers(deps));
  handlers.bindAll(sync.handlers);
  handlers.bindAll(storageHandlers(deps, collector));
  handlers.bindAll(upstreams?.handlers ?? UPSTREAMS_WITHOUT_REGISTRY);
  api.addEndpoints(() => registryEndpoints(tokens));
  api.addEndpoints(() => server?.endpoints ?? [history]);
  api.addEndpoints(() => sync.endpoints);
  return { sync, server, tagWrites, retention, storage, remotes: sync.remotes };
}
