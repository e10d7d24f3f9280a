import type { Engine } from "../../engine/engine.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { HttpFault } from "../../wire/http.ts";
import { registryError } from "../access/errors.ts";
import { OURSELVES } from "../client/client.ts";
import { unlessOdd } from "../client/protocol-error.ts";
import type { RemoteRegistry } from "../client/remote.ts";
import { placeOf } from "../path.ts";
import { lookAt } from "../reconcile/fetch-manifest-tree.ts";
import { readCloudEvent, STRUCTURED } from "./cloud-event.ts";
import { type Notice, readEnvelope } from "./envelope.ts";
import { type Outcome, takeIn } from "./ingest-notification.ts";
import { PullTimes } from "./pull-times.ts";
import type { AttachedRegistries } from "./webhook-auth.ts";

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

export interface NotificationParts {
  readonly engine: Engine;
  readonly attached: AttachedRegistries;
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
export function notificationEndpoint(parts: NotificationParts): HttpEndpoint {
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
  { attached }: NotificationParts,
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
  const notices = readCloudEvent(request.headers, body, now) ?? readEnvelope(body, now);
  await taker.take(host, notices, request.requestId);
  return { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
}

/** Takes in one notice after the other. */
class Taker {
  readonly #parts: NotificationParts;
  readonly #pulls = new PullTimes();

  constructor(parts: NotificationParts) {
    this.#parts = parts;
  }

  /**
   * Takes in notices, in their order. Rejects only with what a later attempt may mend: the registry
   * or the store is out of reach.
   */
  async take(host: string, notices: readonly Notice[], requestId: string): Promise<void> {
    const others = notices.filter(({ actor }) => actor !== OURSELVES);
    const looked = await Promise.all(
      others.map(async (notice) => ({ notice, ...(await this.#look(host, notice)) })),
    );
    // Asked for in one go, they share a transaction.
    await Promise.all(looked.map((one) => this.#takeOne(host, one, requestId)));
  }

  async #takeOne(host: string, looked: Looked, requestId: string): Promise<void> {
    const { engine, remotes, metrics, log } = this.#parts;
    const { notice } = looked;
    const keepsPull = notice.action === "pull" && this.#pulls.isDue(notice);
    const told = { ...looked, engine, remotes, host, requestId, keepsPull };
    let outcome: Outcome | "refused";
    try {
      outcome = await engine.store.write((tx) => takeIn(tx, told));
    } catch (thrown) {
      const error = WharfError.from(thrown);
      if (error.code === "UNAVAILABLE") throw error;
      const { action, path } = notice;
      const { message: why, cause } = error;
      log.warn({ host, action, repository: path, why, cause }, "notice not taken in");
      outcome = "refused";
    }
    metrics.count("wharf_registry_notices_total", { outcome });
    if (outcome !== "taken") return;
    if (keepsPull) this.#pulls.keep(notice);
    metrics.noticed(Date.now() - notice.time);
  }

  /** What a notice does not say, and the registry knows. */
  async #look(host: string, notice: Notice): Promise<Omit<Looked, "notice">> {
    const { action, type, path, tag, digest, time } = notice;
    const { engine, remotes, log } = this.#parts;
    const remote = remotes.get(host) as RemoteRegistry;
    const nothing = { facts: [], isGone: false };
    if (action === "delete" && tag !== "" && digest !== "") {
      const left = await unlessOdd(remote.digestOf(path, digest), digest);
      return { ...nothing, isGone: left === undefined };
    }
    if (action !== "push" || type !== "manifest") return nothing;
    const { reader } = engine.store;
    const place = await placeOf(engine, reader, path);
    // Nothing of ours: nothing to look at.
    if (place === undefined) return nothing;
    const sight = { remote, path, reader, repo: place.repo };
    const facts = await unlessOdd(lookAt(sight, digest, time), [], ({ message: why }) =>
      log.warn({ host, repository: path, digest, why }, "manifest not read"),
    );
    return { ...nothing, facts };
  }
}

interface Looked {
  readonly notice: Notice;
  readonly facts: Awaited<ReturnType<typeof lookAt>>;
  readonly isGone: boolean;
}
