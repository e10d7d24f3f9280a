import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Logger } from "../../observe/logger.ts";
import { identityName } from "../../store/tables/access/identity-names.ts";
import { writePull } from "../../store/tables/registry/manifests.ts";
import { writeActivity } from "../ingest/activity-events.ts";
import type { RegistryNotification } from "../ingest/notification-formats.ts";
import { PullTimes } from "../ingest/pull-times.ts";
import type { RepoRequest } from "./deps.ts";

/** Records pulls in the background: a pull does not wait for the disk. */
export class PullLog {
  readonly #deps: WriteDeps;
  readonly #log: Logger;
  readonly #times = new PullTimes();
  readonly #writing = new Set<Promise<void>>();

  constructor(deps: WriteDeps, log: Logger) {
    this.#deps = deps;
    this.#log = log;
  }

  add(notification: RegistryNotification, repoRequest: RepoRequest): void {
    const written = this.#write(notification, repoRequest)
      .catch((error) => this.#log.warn({ cause: error }, "a pull was not recorded"))
      .finally(() => this.#writing.delete(written));
    this.#writing.add(written);
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async #write(notification: RegistryNotification, repoRequest: RepoRequest): Promise<void> {
    const {
      host,
      request,
      caller: { caller },
      path: { repo = "" },
    } = repoRequest;
    const { catalog, store } = this.#deps;
    const isDue = this.#times.isDue(notification);
    await store.write(async (tx) => {
      const { name = "" } = (await catalog.repos.find(tx, repo)) ?? {};
      const actorName = caller.name ?? (await identityName(tx, caller.uid));
      if (isDue) await writePull(tx, repo, notification.digest, notification.time);
      const { requestId } = request;
      writeActivity(tx, { notification, host, repo: { uid: repo, name }, actorName, requestId });
    });
    if (isDue) this.#times.markRecorded(notification);
  }
}
