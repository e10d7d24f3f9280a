import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Logger } from "../../observe/logger.ts";
import { identityName } from "../../store/tables/access/identity-names.ts";
import { writePull } from "../../store/tables/registry/manifests.ts";
import { writePullBy } from "../../store/tables/registry/retention.ts";
import { writeActivity } from "../ingest/activity-events.ts";
import type { RegistryNotification } from "../ingest/notification-formats.ts";
import { PullTimes } from "../ingest/pull-times.ts";
import type { RepoRequest } from "./deps.ts";

/** The precision of the times of pulls by each identity, which retention counts in days. */
const CALLER_RESOLUTION_MS = 3_600_000;

/** Records pulls in the background: a pull does not wait for the disk. */
export class PullLog {
  readonly #deps: WriteDeps;
  readonly #log: Logger;
  readonly #times = new PullTimes();
  readonly #callerTimes = new PullTimes(CALLER_RESOLUTION_MS);
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
    const { digest, time } = notification;
    const isDue = this.#times.isDue(notification);
    const ofCaller = { ...notification, path: `${caller.uid} ${notification.path}` };
    const isDueForCaller = this.#callerTimes.isDue(ofCaller);
    await store.write(async (tx) => {
      const { name = "" } = (await catalog.repos.find(tx, repo)) ?? {};
      const actorName = caller.name ?? (await identityName(tx, caller.uid));
      if (isDue) await writePull(tx, repo, digest, time);
      if (isDueForCaller) await writePullBy(tx, repo, [digest, caller.uid, time]);
      const { requestId } = request;
      writeActivity(tx, { notification, host, repo: { uid: repo, name }, actorName, requestId });
    });
    if (isDue) this.#times.markRecorded(notification);
    if (isDueForCaller) this.#callerTimes.markRecorded(ofCaller);
  }
}
