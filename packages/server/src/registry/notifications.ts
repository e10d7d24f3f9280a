import type { Logger } from "pino";
import type { Engine } from "../engine/engine.ts";
import { unauthenticated, WharfError } from "../errors.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { HttpFault } from "../wire/http.ts";
import type { AttachedRegistries } from "./attached.ts";
import { type Notice, readEnvelope } from "./envelope.ts";
import { registryError } from "./errors.ts";
import { lookAt } from "./look.ts";
import { placeOf } from "./path.ts";
import { PullTimes } from "./pull-times.ts";
import { OURSELVES, type RemoteRegistry } from "./remote.ts";
import { type Outcome, takeIn } from "./take-in.ts";

/** Where registries tell us what happens in them. */
export const NOTIFICATIONS_PATH = "/registry/notifications";

/** Registries send events one by one, or some. */
const MOST_BYTES = 1024 * 1024;

const MEDIA_TYPES = ["application/vnd.docker.distribution.events.v1+json", "application/json"];

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
  const host = attached.hostOf(request.headers.authorization);
  if (host === undefined) throw unauthenticated("the secret of an attached registry is required");
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!MEDIA_TYPES.includes(type)) {
    const error = new WharfError("INVALID_ARGUMENT", `content-type must be ${MEDIA_TYPES[0]}`);
    throw new HttpFault(error, 415);
  }
  const notices = readEnvelope(await request.body(MOST_BYTES), Date.now());
  await Promise.all(notices.map((notice) => taker.take(host, notice, request.requestId)));
  return { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
}

/** Takes in one notice after the other. */
class Taker {
  readonly #parts: NotificationParts;
  readonly #pulls = new PullTimes();

  constructor(parts: NotificationParts) {
    this.#parts = parts;
  }

  /** Rejects only with what a later attempt may mend: the registry or the store is out of reach. */
  async take(host: string, notice: Notice, requestId: string): Promise<void> {
    const { metrics, log } = this.#parts;
    if (notice.actor === OURSELVES) return;
    let outcome: Outcome | "refused";
    try {
      outcome = await this.#takeIn(host, notice, requestId);
    } catch (thrown) {
      const error = WharfError.from(thrown);
      if (error.code === "UNAVAILABLE" || error.code === "UNKNOWN") throw error;
      const { action, path } = notice;
      const { message: why, cause } = error;
      log.warn({ host, action, repository: path, why, cause }, "notice not taken in");
      outcome = "refused";
    }
    metrics.count("wharf_registry_notices_total", { outcome });
  }

  async #takeIn(host: string, notice: Notice, requestId: string): Promise<Outcome> {
    const { engine } = this.#parts;
    const isPush = notice.action === "push" && notice.type === "manifest";
    const facts = isPush ? await this.#look(host, notice) : [];
    const keepsPull = notice.action === "pull" && this.#pulls.isDue(notice);
    const told = { engine, host, notice, requestId, facts, keepsPull };
    return engine.store.write((tx) => takeIn(tx, told));
  }

  async #look(host: string, { path, digest, time }: Notice) {
    const { engine, remotes } = this.#parts;
    const { reader } = engine.store;
    const place = await placeOf(engine, reader, path);
    // Nothing of ours: nothing to look at.
    if (place === undefined) return [];
    const remote = remotes.get(host) as RemoteRegistry;
    return lookAt({ remote, path, reader, repo: place.repo }, digest, time);
  }
}
