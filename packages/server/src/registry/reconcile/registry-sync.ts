import type { DescMethod } from "@bufbuild/protobuf";
import type { Addresses } from "../../config/addresses.ts";
import type { Settings } from "../../config/settings.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Handler } from "../../rpc/call.ts";
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts";
import { OWN_HOST } from "../../store/tables/registry/locations.ts";
import type { HttpEndpoint } from "../../wire/endpoint.ts";
import type { RegistryKeys } from "../access/keys.ts";
import { RegistryClient } from "../client/client.ts";
import { type RegistryContents, RemoteRegistry } from "../client/remote.ts";
import { notificationEndpoint } from "../ingest/notifications.ts";
import { WebhookAuth } from "../ingest/webhook-auth.ts";
import { Reconciler } from "./reconciler.ts";
import { registryHandlers } from "./registry-handlers.ts";

export interface RegistrySyncDeps extends WriteDeps {
  readonly keys: RegistryKeys;
  readonly installation: InstallationSecrets;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly settings: Settings;
  addresses(): Addresses;
  /** The registry of this server, if it has one. */
  readonly own: RegistryContents | undefined;
}

type Remotes = ReadonlyMap<string, RemoteRegistry>;

/** Keeps the stored state in sync with attached registries, by notifications and by reconciling. */
export class RegistrySync {
  readonly endpoints: readonly HttpEndpoint[];
  readonly handlers: readonly [DescMethod, Handler][];
  /** All registries for requests, by host. */
  readonly contents: ReadonlyMap<string, RegistryContents>;
  /** Attached registries as background tasks read them, by host. */
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
  readonly #clients: readonly RemoteRegistry[];
  readonly #reconcilers: readonly Reconciler[];

  private constructor(
    endpoints: readonly HttpEndpoint[],
    handlers: readonly [DescMethod, Handler][],
    reconcilers: readonly Reconciler[],
    contents: ReadonlyMap<string, RegistryContents>,
    remotes: Remotes,
    clients: readonly RemoteRegistry[],
  ) {
    this.endpoints = endpoints;
    this.handlers = handlers;
    this.contents = contents;
    this.remotes = remotes;
    this.#reconcilers = reconcilers;
    this.#clients = clients;
  }

  static open(deps: RegistrySyncDeps): RegistrySync {
    const { keys, installation, settings, addresses, own } = deps;
    const webhookAuth = new WebhookAuth(installation, settings);
    const createClients = (): Remotes =>
      new Map(
        [...settings.registryUrls].map(([host, url]) => [
          host,
          new RemoteRegistry(host, new RegistryClient({ host, url, keys, addresses })),
        ]),
      );
    const clients = createClients();
    // Separate clients, so that requests do not queue behind a reconcile pass.
    const backgroundClients = createClients();
    const withOwn = (all: Remotes): ReadonlyMap<string, RegistryContents> =>
      own === undefined ? all : new Map<string, RegistryContents>([[OWN_HOST, own], ...all]);
    const contents = withOwn(clients);
    const intervalMs = settings.reconcileMinutes * 60_000;
    const reconcilers = new Map<string, Reconciler>();
    const remotes = withOwn(backgroundClients);
    for (const [host, remote] of backgroundClients) {
      const shared = { ...deps, intervalMs };
      reconcilers.set(host, new Reconciler({ ...shared, remote, remotes }));
    }
    return new RegistrySync(
      [notificationEndpoint({ ...deps, webhookAuth, remotes: contents })],
      registryHandlers(deps, reconcilers),
      [...reconcilers.values()],
      contents,
      backgroundClients,
      [...clients.values(), ...backgroundClients.values()],
    );
  }

  /** Starts reconciling, in the background. */
  start(): void {
    for (const reconciler of this.#reconcilers) reconciler.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reconcilers.map((reconciler) => reconciler.stop()));
    for (const client of this.#clients) client.close();
  }
}
