import type { Logger } from "../../observe/logger.ts";
import type { Store } from "../../store/db/store.ts";
import { abandonedUploads, deleteUpload } from "../../store/tables/registry/uploads.ts";
import { contentRows } from "../storage/content-rows.ts";
import type { ContentStorage, Share } from "../storage/content-storage.ts";

/** As long as leases: who resumes later begins again. */
const ABANDONED_MS = 24 * 3_600_000;

const INTERVAL_MS = 3_600_000;

const BATCH_SIZE = 100;

/** Files of blobs without a row are rare, and each run that looks for them reads names and rows of a share of all. */
const SHARES = 24;

/** Removes uploads that nobody continues, and files that crashes have left. */
export class UploadCleanup {
  readonly #store: Store;
  readonly #storage: ContentStorage;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Another one after each start: servers that never run for a day look at all, too. */
  #share = Math.floor(Math.random() * SHARES);

  constructor(store: Store, storage: ContentStorage, log: Logger) {
    this.#store = store;
    this.#storage = storage;
    this.#log = log;
  }

  start(): void {
    const run = () => {
      const share = { part: this.#share, of: SHARES };
      this.#share = (this.#share + 1) % SHARES;
      this.#running = this.run(Date.now(), share).catch((error) =>
        this.#log.error({ err: error }, "abandoned uploads not removed"),
      );
    };
    run();
    this.#timer = setInterval(run, INTERVAL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** The file is removed after the row: a row always has its files. */
  async run(now = Date.now(), share?: Share): Promise<void> {
    const before = now - ABANDONED_MS;
    await this.#removeUploads(before);
    const rows = contentRows(this.#store.reader);
    const removed = await this.#storage.removeGarbage(before, rows, share);
    if (removed.parts + removed.blobs > 0)
      this.#log.warn({ ...removed }, "files without a row removed from the registry");
  }

  async #removeUploads(before: number): Promise<void> {
    const store = this.#store;
    for (;;) {
      const uploads = await abandonedUploads(store.reader, before, BATCH_SIZE);
      for (const id of uploads) {
        const parts = await store.write((tx) => deleteUpload(tx, id));
        await this.#storage.removeParts(parts ?? []);
      }
      if (uploads.length < BATCH_SIZE) return;
    }
  }
}
