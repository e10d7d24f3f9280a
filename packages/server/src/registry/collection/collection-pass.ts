import { setTimeout as sleep } from "node:timers/promises";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Store } from "../../store/db/store.ts";
import {
  type BlobLink,
  deleteGarbage,
  LINK_PAGE_SIZE,
  linksAfter,
} from "../../store/tables/registry/blob-garbage.ts";
import { type Blob, blobsAfter } from "../../store/tables/registry/blobs.ts";
import { finishPass, writePass } from "../../store/tables/registry/passes.ts";
import { mustHoldLease } from "../pass-loop.ts";
import { contentRows } from "../storage/content-rows.ts";
import type { ContentStorage } from "../storage/content-storage.ts";
import { ExaminedBlobs } from "./examined-blobs.ts";
import {
  type EndedPass,
  type Findings,
  findingsText,
  NO_FINDINGS,
  PASS_NAMES,
  type PassKind,
  readPassState,
  withFreed,
} from "./findings.ts";

/** Blobs examined between two checkpoints. */
const BLOB_PAGE_SIZE = 250;

/** Links, or blobs without links, that are deleted in one transaction: others wait for it. */
const DELETION_BATCH_SIZE = 100;

/** The pause after each step is as long as the step took, and at least this: requests come first. */
const MIN_PAUSE_MS = 5;

/** The position is written this often: a stopped pass repeats as much, without consequence. */
const SAVE_MS = 1_000;

/** Sorts behind the uids of all repos. */
const LAST_REPO = "~";

export interface CollectionDeps {
  readonly store: Store;
  readonly storage: ContentStorage;
  readonly kind: PassKind;
  /** The holder of the lease: this process. */
  readonly holder: string;
  readonly signal: AbortSignal;
  /** Files that were stored within this time are left to the hourly clean-up. */
  readonly settleMs: number;
  /** Called with what each transaction has deleted. */
  deleted(blobs: readonly Blob[]): void;
  now(): number;
}

/**
 * Examines all blobs in the order of their digests, and deletes garbage, from the checkpoint of an interrupted pass or from
 * the beginning. Reads are short, and others change what was read; what is deleted is decided in the transaction that
 * deletes it (`deleteGarbage`), which also records how much that is: a crash changes no figure.
 */
export class CollectionPass {
  readonly #deps: CollectionDeps;
  #began = 0;
  /** The last digest that is done; the findings are those up to it, and what was deleted since. */
  #last = "";
  #findings = NO_FINDINGS;
  #ended: EndedPass | undefined;
  #saved = Number.NEGATIVE_INFINITY;
  #stepped = performance.now();

  constructor(deps: CollectionDeps) {
    this.#deps = deps;
  }

  async run(): Promise<EndedPass> {
    const { store, kind, holder } = this.#deps;
    const stored = await readPassState(store.reader, kind);
    const isNew = stored.began === 0;
    // Clocks of replicas differ: a requested pass never begins before its request.
    this.#began = isNew ? Math.max(Date.now(), stored.requested) : stored.began;
    this.#last = isNew ? "" : stored.last;
    this.#findings = stored.current ?? NO_FINDINGS;
    this.#ended = stored.ended;
    for (let size = BLOB_PAGE_SIZE; size === BLOB_PAGE_SIZE; ) {
      await this.#save();
      const page = await blobsAfter(store.reader, this.#last, BLOB_PAGE_SIZE);
      size = page.length;
      if (size > 0) await this.#examine(page);
    }
    const [began, finished] = [this.#began, Date.now()];
    const last = { ...this.#findings, began, finished };
    const pass = { began, finished, findings: findingsText({ last }) };
    await mustHoldLease(store.write((tx) => finishPass(tx, PASS_NAMES[kind], holder, pass)));
    return last;
  }

  /** Examines a page of blobs, and deletes the garbage among them. */
  async #examine(page: readonly Blob[]): Promise<void> {
    const { store, kind, now } = this.#deps;
    const examined = new ExaminedBlobs(page);
    const end = page.at(-1)?.digest ?? "";
    let after: BlobLink = { digest: this.#last, repo: LAST_REPO };
    for (let size = LINK_PAGE_SIZE; size === LINK_PAGE_SIZE; ) {
      const links = await linksAfter(store.reader, after, end);
      size = links.length;
      after = links.at(-1) ?? after;
      const garbage = examined.addLinks(links, now());
      await this.#pause();
      if (kind === "collection") await this.#delete(garbage, examined);
    }
    if (kind === "collection") await this.#delete(examined.unlinked(), examined);
    this.#findings = examined.addTo(this.#findings, kind);
    this.#last = end;
  }

  /** Deletes what is garbage among links, or blobs without links, and then the files of the blobs that were deleted. */
  async #delete(
    candidates: readonly (BlobLink | Pick<Blob, "digest">)[],
    examined: ExaminedBlobs,
  ): Promise<void> {
    const { store, storage, settleMs, now, deleted } = this.#deps;
    for (let at = 0; at < candidates.length; at += DELETION_BATCH_SIZE) {
      const some = candidates.slice(at, at + DELETION_BATCH_SIZE);
      const digests = [...new Set(some.map(({ digest }) => digest))];
      const links = some.filter((one) => "repo" in one);
      const [freed, findings] = await store.write(async (tx) => {
        const blobs = await deleteGarbage(tx, digests, links, now());
        const sum = withFreed(this.#findings, blobs);
        await this.#write(tx, sum);
        return [blobs, sum] as const;
      });
      this.#findings = findings;
      examined.freed(freed);
      deleted(freed);
      const gone = freed.map(({ digest }) => digest);
      await storage.removeBlobs(gone, Date.now() - settleMs, contentRows(store.reader));
      await this.#pause();
    }
  }

  async #save(): Promise<void> {
    if (performance.now() - this.#saved < SAVE_MS) return;
    await this.#deps.store.write((tx) => this.#write(tx, this.#findings));
    this.#saved = performance.now();
  }

  #write(tx: Transaction, current: Findings): Promise<void> {
    const { kind, holder } = this.#deps;
    const findings = findingsText({ current, ...(this.#ended && { last: this.#ended }) });
    const pass = { began: this.#began, last: this.#last, findings };
    return mustHoldLease(writePass(tx, PASS_NAMES[kind], holder, pass));
  }

  /** Lets others work; rejects once the pass is to end. */
  async #pause(): Promise<void> {
    const { signal } = this.#deps;
    const took = performance.now() - this.#stepped;
    await sleep(Math.max(MIN_PAUSE_MS, took), undefined, { signal });
    this.#stepped = performance.now();
  }
}
