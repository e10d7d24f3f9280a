import type { Engine } from "../../engine/engine.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { HttpFault } from "../../wire/http.ts";
import { registryError } from "../access/errors.ts";
import { SERVICE_SUBJECT } from "../client/client.ts";
import { fallbackOnProtocolError } from "../client/protocol-error.ts";
import type { RemoteRegistry } from "../client/remote.ts";
import { resolvePath } from "../path.ts";
import { fetchManifestTree } from "../reconcile/fetch-manifest-tree.ts";
import { readCloudEvent, STRUCTURED } from "./cloud-event.ts";
import { type RegistryNotification, readEnvelope } from "./envelope.ts";
import { ingest, type Outcome } from "./ingest-notification.ts";
import { PullTimes } from "./pull-times.ts";
import type { WebhookAuth } from "./webhook-auth.ts";

/** Where registries tell us what happens in them. */
const NOTIFICATIONS_PATH = "/registry/notifications";

/** Registries send events one by one, or some. */
const MOST_BYTES = 1024 * 1024;

/** Distribution 2 and Distribution 3 name the same envelope by two types. */
const MEDIA_TYPES = [
  "application/vnd.docker.distribution.events.v1+json",
  "application/vnd.docker.distribution.events.v2+json",
  "application/json",
  STRUCTURED,
];

export interface NotificationDeps {
  readonly engine: Engine;
  readonly attached: WebhookAuth;
  /** The registries themselves, by host. */
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * The endpoint of registries' notifications. It answers 200 once what was told is durable; anything
 * else makes the registry tell it again.
 *
 * @example endpoints.push(notificationEndpoint(parts));
 */
export function notificationEndpoint(parts: NotificationDeps): HttpEndpoint {
  const taker = new Taker(parts);
  return {
    method: "POST",
    path: NOTIFICATIONS_PATH,
    async handle(request) {
      try {
        return await answer(parts, taker, request);
      } catch (thrown) {
        return registryError(thrown, NOTIFICATIONS_PATH);
      }
    },
  };
}

async function answer(
  { attached }: NotificationDeps,
  taker: Taker,
  request: HttpRequest,
): Promise<HttpResponse> {
  const host = await attached.hostOf(request.headers.authorization);
  if (host === undefined) throw unauthenticated("the secret of an attached registry is required");
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!MEDIA_TYPES.includes(type)) {
    const error = new WharfError("INVALID_ARGUMENT", `content-type must be ${MEDIA_TYPES[0]}`);
    throw new HttpFault(error, 415);
  }
  const body = await request.body(MOST_BYTES);
  const now = Date.now();
  const notifications = readCloudEvent(request.headers, body, now) ?? readEnvelope(body, now);
  await taker.take(host, notifications, request.requestId);
  return { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
}

/** Takes in one notification after the other. */
class Taker {
  readonly #parts: NotificationDeps;
  readonly #pulls = new PullTimes();

  constructor(parts: NotificationDeps) {
    this.#parts = parts;
  }

  /**
   * Takes in notifications, in their order. Rejects only with what a later attempt may mend: the registry
   * or the store is out of reach.
   */
  async take(
    host: string,
    notifications: readonly RegistryNotification[],
    requestId: string,
  ): Promise<void> {
    const others = notifications.filter(({ actor }) => actor !== SERVICE_SUBJECT);
    const looked = await Promise.all(
      others.map(async (notification) => ({
        notification,
        ...(await this.#look(host, notification)),
      })),
    );
    // Asked for in one go, they share a transaction.
    await Promise.all(looked.map((one) => this.#takeOne(host, one, requestId)));
  }

  async #takeOne(host: string, looked: Looked, requestId: string): Promise<void> {
    const { engine, metrics, log } = this.#parts;
    const { notification } = looked;
    const keepsPull = notification.action === "pull" && this.#pulls.isDue(notification);
    const told = { ...looked, engine, host, requestId, keepsPull };
    let outcome: Outcome | "refused";
    try {
      outcome = await engine.store.write((tx) => ingest(tx, told));
    } catch (thrown) {
      const error = WharfError.from(thrown);
      if (error.code === "UNAVAILABLE") throw error;
      const { action, path } = notification;
      const { message: why, cause } = error;
      log.warn({ host, action, repository: path, why, cause }, "notification not taken in");
      outcome = "refused";
    }
    metrics.count("wharf_registry_notices_total", { outcome });
    if (outcome !== "taken") return;
    if (keepsPull) this.#pulls.keep(notification);
    metrics.noticed(Date.now() - notification.time);
  }

  /** What a notification does not say, and the registry knows. */
  async #look(
    host: string,
    notification: RegistryNotification,
  ): Promise<Omit<Looked, "notification">> {
    const { action, type, path, tag, digest, time } = notification;
    const { engine, remotes, log } = this.#parts;
    const remote = remotes.get(host) as RemoteRegistry;
    const nothing = { manifests: [], isGone: false };
    if (action === "delete" && tag !== "" && digest !== "") {
      const left = await fallbackOnProtocolError(remote.digestOf(path, digest), digest);
      return { ...nothing, isGone: left === undefined };
    }
    if (action !== "push" || type !== "manifest") return nothing;
    const { reader } = engine.store;
    const place = await resolvePath(engine, reader, path);
    // Nothing of ours: nothing to look at.
    if (place === undefined) return nothing;
    const sight = { remote, path, reader, repo: place.repo };
    const manifests = await fallbackOnProtocolError(
      fetchManifestTree(sight, digest, time),
      [],
      ({ message: why }) => log.warn({ host, repository: path, digest, why }, "manifest not read"),
    );
    return { ...nothing, manifests };
  }
}

interface Looked {
  readonly notification: RegistryNotification;
  readonly manifests: Awaited<ReturnType<typeof fetchManifestTree>>;
  readonly isGone: boolean;
}
