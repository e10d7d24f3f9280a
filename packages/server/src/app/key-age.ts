import type { Settings } from "../config/settings.ts";
import type { Logger } from "../observe/logger.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Store } from "../store/db/store.ts";
import { rotateIfOlder } from "./key-rotation.ts";

const DAY_MS = 24 * 3_600_000;

/** The interval of checks. */
const CHECK_MS = 3_600_000;

export interface KeyAgeDeps {
  readonly settings: Pick<Settings, "keyRotationDays">;
  readonly store: Store;
  readonly secrets: Secrets;
  readonly log: Logger;
}

/** Rotates signing keys that have reached the age of the settings. */
export class KeyAge {
  readonly #deps: KeyAgeDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: KeyAgeDeps) {
    this.#deps = deps;
  }

  start(checkMs: number = CHECK_MS): void {
    if (this.#deps.settings.keyRotationDays === 0) return;
    const check = () => {
      this.#running ??= this.#check().finally(() => {
        this.#running = undefined;
      });
    };
    check();
    this.#timer = setInterval(check, checkMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #check(): Promise<void> {
    const { log, secrets, settings, store } = this.#deps;
    try {
      const kid = await rotateIfOlder(store, secrets, settings.keyRotationDays * DAY_MS);
      if (kid !== undefined) log.info({ kid }, "signing keys rotated because of their age");
    } catch (error) {
      log.error({ err: error }, "signing keys not rotated; tried again in an hour");
    }
  }
}
