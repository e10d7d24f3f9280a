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
import { RemoteRegistry } from "../client/remote.ts";
import { notificationEndpoint } from "../ingest/notifications.ts";
import { WebhookAuth } from "../ingest/webhook-auth.ts";
import { Reconciler } from "./reconciler.ts";
import { registryHandlers } from "./registry-handlers.ts";

/*
 * This folder reconciles the stored state with attached registries, and composes everything that keeps
 * the two in sync. It may import ingest/, client/ and images/; of these, only ingest/ imports from here,
 * to fetch manifests.
 */

export interface RegistrySyncDeps {
  readonly engine: Engine;
  readonly keys: RegistryKeys;
  readonly installation: InstallationSecrets;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly settings: Settings;
  addresses(): Addresses;
}

type Remotes = ReadonlyMap<string, RemoteRegistry>;

/** Keeps the stored state in sync with attached registries, by notifications and by reconciling. */
export class RegistrySync {
  readonly endpoints: readonly HttpEndpoint[];
  readonly handlers: readonly [DescMethod, Handler][];
  /** Clients of the registries for requests, by host. */
  readonly remotes: Remotes;
  /** Clients of the same registries for reconciling. */
  readonly #backgroundRemotes: Remotes;
  readonly #reconcilers: readonly Reconciler[];

  private constructor(
    endpoints: readonly HttpEndpoint[],
    handlers: readonly [DescMethod, Handler][],
    reconcilers: readonly Reconciler[],
    remotes: Remotes,
    backgroundRemotes: Remotes,
  ) {
    this.endpoints = endpoints;
    this.handlers = handlers;
    this.remotes = remotes;
    this.#reconcilers = reconcilers;
    this.#backgroundRemotes = backgroundRemotes;
  }

  static open(deps: RegistrySyncDeps): RegistrySync {
    const { engine, keys, installation, metrics, log, settings, addresses } = deps;
    const webhookAuth = new WebhookAuth(installation, settings);
    const createClients = (): Remotes =>
      new Map(
        [...settings.registryUrls].map(([host, url]) => [
          host,
          new RemoteRegistry({ host, url, keys, addresses }),
        ]),
      );
    const remotes = createClients();
    // Separate clients, so that requests do not queue behind a reconcile pass.
    const backgroundRemotes = createClients();
    const intervalMs = settings.reconcileMinutes * 60_000;
    const reconcilers = new Map<string, Reconciler>();
    for (const [host, remote] of backgroundRemotes) {
      const shared = { engine, metrics, log, intervalMs };
      reconcilers.set(host, new Reconciler({ ...shared, remote, remotes: backgroundRemotes }));
    }
    return new RegistrySync(
      [notificationEndpoint({ engine, webhookAuth, remotes, metrics, log })],
      registryHandlers(engine, reconcilers),
      [...reconcilers.values()],
      remotes,
      backgroundRemotes,
    );
  }

  /** Starts reconciling, in the background. */
  start(): void {
    for (const reconciler of this.#reconcilers) reconciler.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reconcilers.map((reconciler) => reconciler.stop()));
    for (const remotes of [this.remotes, this.#backgroundRemotes])
      for (const remote of remotes.values()) remote.close();
  }
}
