import { ImagesService } from "@wharf/contract";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { ExchangeDeps } from "../sts/authorize-subject.ts";
import type { Api } from "../wire/api.ts";
import { RegistryKeys } from "./access/keys.ts";
import { registryEndpoints } from "./endpoints.ts";
import { deleteImage } from "./images/delete-image.ts";
import { imageConfigMethod } from "./images/image-config.ts";
import { imageManifestMethod } from "./images/image-manifest.ts";
import { imageHandlers } from "./images/images.ts";
import { listImageLocations, listImages } from "./images/list-images.ts";
import { RegistrySync, type RegistrySyncDeps } from "./reconcile/registry-sync.ts";
import { settingsHandlers } from "./settings.ts";
import { RemoteTags } from "./tags/remote-tags.ts";
import { TagWrites } from "./tags/tag-writes.ts";

export interface RegisterRegistryDeps extends Omit<RegistrySyncDeps, "keys"> {
  readonly secrets: Secrets;
  readonly authenticator: Authenticator;
}

/** The parts of the registry area that others work with. */
export interface Registry {
  /** Reconciles attached registries in the background. */
  readonly sync: RegistrySync;
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
  const sync = RegistrySync.open({ ...deps, keys });
  const tagWrites = new TagWrites(engine, new RemoteTags(engine, sync.remotes));
  const { handlers } = api;
  handlers.bindAll(imageHandlers(engine.store));
  const { method } = ImagesService;
  handlers.bind(method.getImageConfig, imageConfigMethod(engine.store, sync.remotes));
  handlers.bind(method.getImageManifest, imageManifestMethod(engine.store, sync.remotes));
  handlers.bind(method.listImages, listImages(engine));
  handlers.bind(method.deleteImage, deleteImage(engine, sync.remotes));
  handlers.bind(method.listImageLocations, listImageLocations(engine, sync.remotes));
  handlers.bindAll(tagWrites.handlers());
  handlers.bindAll(settingsHandlers(engine));
  handlers.bindAll(sync.handlers);
  api.addEndpoints(() => registryEndpoints({ exchange, authenticator, keys }));
  api.addEndpoints(() => sync.endpoints);
  return { sync, tagWrites };
}
