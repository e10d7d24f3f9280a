import type { DescMethod } from "@bufbuild/protobuf";
import type { Addresses } from "../../config/addresses.ts";
import type { Settings } from "../../config/settings.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Handler } from "../../rpc/call.ts";
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts";
import type { HttpEndpoint } from "../../wire/endpoint.ts";
import type { RegistryKeys } from "../access/keys.ts";
import { registryHandlers } from "../client/registries.ts";
import { RemoteRegistry } from "../client/remote.ts";
import { notificationEndpoint } from "../ingest/notifications.ts";
import { AttachedRegistries } from "../ingest/webhook-auth.ts";
import { Reconciler } from "./reconciler.ts";

export interface TrackingParts {
  readonly engine: Engine;
  readonly keys: RegistryKeys;
  readonly installation: InstallationSecrets;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly settings: Settings;
  addresses(): Addresses;
}

/** How we keep track of what is in the attached registries: they tell us, and we look. */
export class Tracking {
  readonly endpoints: readonly HttpEndpoint[];
  readonly handlers: readonly [DescMethod, Handler][];
  /** The registries, by host. */
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
  readonly #reconcilers: readonly Reconciler[];
  readonly #looked: ReadonlyMap<string, RemoteRegistry>;

  private constructor(
    endpoints: readonly HttpEndpoint[],
    handlers: readonly [DescMethod, Handler][],
    reconcilers: readonly Reconciler[],
    remotes: ReadonlyMap<string, RemoteRegistry>,
    looked: ReadonlyMap<string, RemoteRegistry>,
  ) {
    this.endpoints = endpoints;
    this.handlers = handlers;
    this.remotes = remotes;
    this.#reconcilers = reconcilers;
    this.#looked = looked;
  }

  /** @example const tracking = Tracking.open({ engine, keys, installation, metrics, log }); */
  static open(parts: TrackingParts): Tracking {
    const { engine, keys, installation, metrics, log, settings, addresses } = parts;
    const attached = new AttachedRegistries(installation, settings);
    const connected = () => {
      const all = [...settings.registryUrls].map(
        ([host, url]) => [host, new RemoteRegistry({ host, url, keys, addresses })] as const,
      );
      return new Map(all);
    };
    const remotes = connected();
    // Apart, so that nobody waits behind a look through a registry.
    const looked = connected();
    const everyMs = settings.reconcileMinutes * 60_000;
    const reconcilers = new Map<string, Reconciler>();
    for (const [host, remote] of looked) {
      const parts = { engine, remote, remotes: looked, metrics, log, everyMs };
      reconcilers.set(host, new Reconciler(parts));
    }
    return new Tracking(
      [notificationEndpoint({ engine, attached, remotes, metrics, log })],
      registryHandlers(engine, reconcilers),
      [...reconcilers.values()],
      remotes,
      looked,
    );
  }

  /** Begins to look through the registries, in the background. */
  start(): void {
    for (const reconciler of this.#reconcilers) reconciler.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reconcilers.map((reconciler) => reconciler.stop()));
    for (const remotes of [this.remotes, this.#looked])
      for (const remote of remotes.values()) remote.close();
  }
}
