import type { WriteDeps } from "../../engine/write/mutation.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { HttpFault } from "../../wire/http/http.ts";
import { registryError } from "../access/errors.ts";
import { SERVICE_SUBJECT } from "../client/client.ts";
import { fallbackOnProtocolError } from "../client/protocol-error.ts";
import type { RegistryContents } from "../client/remote.ts";
import { resolvePath } from "../path.ts";
import { fetchManifestTree } from "../reconcile/fetch-manifest-tree.ts";
import { type Ingestion, type IngestResult, ingest } from "./ingest-notification.ts";
import {
  type RegistryNotification,
  readNotifications,
  STRUCTURED_CLOUD_EVENT,
} from "./notification-formats.ts";
import { fetchOtherLocations, NO_OTHER_LOCATIONS } from "./other-locations.ts";
import { PullTimes } from "./pull-times.ts";
import type { WebhookAuth } from "./webhook-auth.ts";

const NOTIFICATIONS_PATH = "/registry/notifications";

/** Registries send events one by one, or a few together. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Distribution 2 and Distribution 3 use two media types for the same envelope. */
const MEDIA_TYPES = [
  "application/vnd.docker.distribution.events.v1+json",
  "application/vnd.docker.distribution.events.v2+json",
  "application/json",
  STRUCTURED_CLOUD_EVENT,
];

export interface NotificationDeps extends WriteDeps {
  readonly webhookAuth: WebhookAuth;
  /** Clients of the registries, by host. */
  readonly remotes: ReadonlyMap<string, RegistryContents>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * The endpoint to which registries send notifications. It answers 200 once they are durable; after any
 * other answer the registry sends them again.
 */
export function notificationEndpoint(deps: NotificationDeps): HttpEndpoint {
  const ingester = new NotificationIngester(deps);
  return {
    method: "POST",
    path: NOTIFICATIONS_PATH,
    async handle(request) {
      try {
        return await handleNotifications(deps, ingester, request);
      } catch (thrown) {
        return registryError(thrown, NOTIFICATIONS_PATH);
      }
    },
  };
}

async function handleNotifications(
  { webhookAuth }: NotificationDeps,
  ingester: NotificationIngester,
  request: HttpRequest,
): Promise<HttpResponse> {
  const host = await webhookAuth.authenticate(request.headers.authorization);
  if (host === undefined) throw unauthenticated("the secret of an attached registry is required");
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!MEDIA_TYPES.includes(type)) {
    const error = new WharfError("INVALID_ARGUMENT", `content-type must be ${MEDIA_TYPES[0]}`);
    throw new HttpFault(error, 415);
  }
  const body = await request.body(MAX_BODY_BYTES);
  const notifications = readNotifications(request.headers, body, Date.now());
  await ingester.ingestAll(host, notifications, request.requestId);
  return { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
}

/** The part of an ingestion that a notification lacks, and that is fetched from the registry. */
type Fetched = Pick<Ingestion, "manifests" | "isManifestGone" | "otherLocations">;

class NotificationIngester {
  readonly #deps: NotificationDeps;
  readonly #pulls = new PullTimes();

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
  }

  /** Ingests notifications in their order. Rejects only if a retry can succeed: with UNAVAILABLE. */
  async ingestAll(
    host: string,
    notifications: readonly RegistryNotification[],
    requestId: string,
  ): Promise<void> {
    // Registries also report our own reads.
    const foreign = notifications.filter(({ actor }) => actor !== SERVICE_SUBJECT);
    const ingestions = await Promise.all(
      foreign.map(async (notification) => ({
        notification,
        ...(await this.#fetchMissing(host, notification)),
      })),
    );
    // Writes that are requested together share a transaction.
    await Promise.all(ingestions.map((one) => this.#ingestOne(host, one, requestId)));
  }

  async #ingestOne(
    host: string,
    fetched: Fetched & Pick<Ingestion, "notification">,
    requestId: string,
  ): Promise<void> {
    const { metrics, log } = this.#deps;
    const { notification } = fetched;
    const recordsPull = notification.action === "pull" && this.#pulls.isDue(notification);
    const ingestion = { ...this.#deps, ...fetched, host, requestId, recordsPull };
    let outcome: IngestResult | "refused";
    try {
      outcome = await this.#deps.store.write((tx) => ingest(tx, ingestion));
    } catch (thrown) {
      const error = WharfError.from(thrown);
      if (error.code === "UNAVAILABLE") throw error;
      const { action, path } = notification;
      const { message: reason, cause } = error;
      log.warn({ host, action, repository: path, reason, cause }, "notification not ingested");
      outcome = "refused";
    }
    metrics.count("wharf_registry_notices_total", { outcome });
    if (outcome !== "taken") return;
    if (recordsPull) this.#pulls.markRecorded(notification);
    metrics.notificationIngested(Date.now() - notification.time);
  }

  async #fetchMissing(host: string, notification: RegistryNotification): Promise<Fetched> {
    const { action, type, path, tag, digest, time } = notification;
    const { remotes, log } = this.#deps;
    const remote = remotes.get(host) as RegistryContents;
    const nothing = { manifests: [], isManifestGone: false, otherLocations: NO_OTHER_LOCATIONS };
    if (action === "delete") {
      const otherLocations = await fetchOtherLocations(this.#deps, remotes, host, notification);
      if (tag === "" || digest === "") return { ...nothing, otherLocations };
      const left = await fallbackOnProtocolError(remote.digestOf(path, digest), digest);
      return { ...nothing, otherLocations, isManifestGone: left === undefined };
    }
    if (action !== "push" || type !== "manifest") return nothing;
    const { reader } = this.#deps.store;
    const resolved = await resolvePath(this.#deps.catalog, reader, path);
    if (resolved === undefined) return nothing;
    const context = { remote, path, reader, repo: resolved.repo };
    const manifests = await fallbackOnProtocolError(
      fetchManifestTree(context, digest, time),
      [],
      ({ message: reason }) =>
        log.warn({ host, repository: path, digest, reason }, "manifest not fetched"),
    );
    return { ...nothing, manifests };
  }
}
