import { ImagesService } from "@wharf/contract";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { ExchangeDeps } from "../sts/authorize-subject.ts";
import type { Api } from "../wire/api.ts";
import { historyEndpoint } from "./access/history-endpoint.ts";
import { RegistryKeys } from "./access/keys.ts";
import { registryEndpoints } from "./endpoints.ts";
import { imageHandlers } from "./images/definition.ts";
import { deleteImage } from "./images/delete-image.ts";
import { imageConfigMethod } from "./images/image-config.ts";
import { imageManifestMethod } from "./images/image-manifest.ts";
import { listImageLocations, listImages } from "./images/list-images.ts";
import { RegistrySync, type RegistrySyncDeps } from "./reconcile/registry-sync.ts";
import { RegistryAuthorizer } from "./serve/access.ts";
import { RegistryServer } from "./serve/endpoint.ts";
import { OwnRegistry } from "./serve/own-registry.ts";
import { settingsHandlers } from "./settings.ts";
import { DiskStorage } from "./storage/disk-storage.ts";
import { RemoteTags } from "./tags/remote-tags.ts";
import { TagWrites } from "./tags/tag-writes.ts";

const MIB = 1024 * 1024;

export interface RegisterRegistryDeps extends Omit<RegistrySyncDeps, "keys" | "own"> {
  readonly secrets: Secrets;
  readonly authenticator: Authenticator;
}

/** The parts of the registry area that others work with. */
export interface Registry {
  /** Reconciles attached registries in the background. */
  readonly sync: RegistrySync;
  /** The registry of this server, if it has one. */
  readonly server: RegistryServer | undefined;
  readonly tagWrites: TagWrites;
}

/** Registers access to registries, images and tags, and the notifications of attached registries. */
export function registerRegistry(
  api: Api,
  { secrets, authenticator, ...deps }: RegisterRegistryDeps,
  exchange: ExchangeDeps,
): Registry {
  const { engine } = deps;
  const keys = new RegistryKeys(engine.store, secrets);
  const { registryStorage, registryMinFree } = deps.settings;
  const transferred = (direction: string, bytes: number) =>
    deps.metrics.count("wharf_registry_bytes_total", { direction }, bytes);
  const storage =
    registryStorage === undefined ? undefined : new DiskStorage(registryStorage, transferred);
  const own = storage && new OwnRegistry(engine, storage);
  const sync = RegistrySync.open({ ...deps, keys, own });
  const tokens = { exchange, authenticator, keys };
  const authorizer = new RegistryAuthorizer(tokens);
  const history = historyEndpoint(tokens);
  const minFreeBytes = registryMinFree * MIB;
  const server =
    storage &&
    new RegistryServer({ engine, storage, authorizer, log: deps.log, minFreeBytes }, history);
  const tagWrites = new TagWrites(engine, new RemoteTags(engine, sync.contents));
  const { handlers } = api;
  handlers.bindAll(imageHandlers(engine.store));
  const { method } = ImagesService;
  handlers.bind(method.getImageConfig, imageConfigMethod(engine.store, sync.contents));
  handlers.bind(method.getImageManifest, imageManifestMethod(engine.store, sync.contents));
  handlers.bind(method.listImages, listImages(engine));
  handlers.bind(method.deleteImage, deleteImage(engine, sync.contents));
  handlers.bind(
    method.listImageLocations,
    listImageLocations(engine, sync.contents, () => authorizer.service),
  );
  handlers.bindAll(tagWrites.handlers());
  handlers.bindAll(settingsHandlers(engine));
  handlers.bindAll(sync.handlers);
  api.addEndpoints(() => registryEndpoints(tokens));
  api.addEndpoints(() => server?.endpoints ?? [history]);
  api.addEndpoints(() => sync.endpoints);
  return { sync, server, tagWrites };
}
