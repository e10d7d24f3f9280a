import type { ChainEnd, Checkpoint } from "@wharf/contract/audit";
import type { SigningKey, SigningKeys } from "../auth/keys.ts";
import { signJwt } from "../auth/sign.ts";
import type { Addresses } from "../config/addresses.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Store } from "../store/db/store.ts";
import {
  addAuditKey,
  addCheckpoint,
  checkpointHash,
  coveredChains,
  coveringUntil,
  deleteCheckpoints,
  lastCheckpoint,
  readCheckpointKeys,
  type StoredCheckpoint,
} from "../store/tables/audit/checkpoints.ts";
import { GROUP_IDS } from "../store/tables/audit/entries.ts";
import {
  type ChainHead,
  chainHeads,
  checkpointedId,
  firstTimeAfter,
  setCheckpointedId,
} from "../store/tables/audit/heads.ts";
import { settledAuditId } from "../store/tables/audit/horizon.ts";
import { nextCheckpointNumber } from "./checkpoint-seals.ts";

export interface CheckpointDeps {
  readonly store: Store;
  readonly keys: SigningKeys;
  readonly secrets: Secrets;
  addresses(): Addresses;
}

/** Entries are covered by a checkpoint after this time at the latest, or once so many are waiting. */
const MAX_AGE_MS = 10 * 60_000;
const MAX_ENTRIES = GROUP_IDS;

/** The ids covered in one transaction, which signs at most one checkpoint for each. */
const BATCH_IDS = GROUP_IDS / 4;

/** Checkpoints of a root that one transaction deletes. */
const CUT_BATCH = 256;

/**
 * Signs checkpoints of the hash chains. A checkpoint names the last entry of a chain and the checkpoint before it, so
 * that neither entries nor checkpoints can be removed unnoticed. Any replica covers the entries of all.
 */
export class Checkpoints {
  readonly #deps: CheckpointDeps;

  constructor(deps: CheckpointDeps) {
    this.#deps = deps;
  }

  /** Covers entries that have waited long, or that are many; all of them if `now` is not given. */
  async cover(now?: number): Promise<void> {
    const { store, keys } = this.#deps;
    const covered = await checkpointedId(store.reader);
    const waiting = await firstTimeAfter(store.reader, covered);
    if (waiting === undefined) return;
    const settled = await settledAuditId(store.reader);
    if (settled === undefined || settled <= covered) return;
    const isDue = now === undefined || now - waiting > MAX_AGE_MS;
    if (!isDue && settled - covered < MAX_ENTRIES) return;
    await keys.reloadIfChanged();
    for (let from = covered; from < settled; ) {
      from = await store.write((tx) => this.#coverBatch(tx, settled));
    }
  }

  /** The public keys of all checkpoints, and of the next one, as JSON: they can be saved before anything is signed. */
  async publicKeys(): Promise<string[]> {
    const { store, keys } = this.#deps;
    await keys.reloadIfChanged();
    const current = jwkOf(keys.keyFor([]));
    const stored = await readCheckpointKeys(store.reader);
    return stored.includes(current) ? stored : [...stored, current];
  }

  /** Covers the next ids, up to the end of a group, where retention may cut. Returns the last one. */
  async #coverBatch(tx: Transaction, settled: number): Promise<number> {
    await tx.acquireLock();
    const covered = await checkpointedId(tx);
    if (covered >= settled) return covered;
    const to = Math.min(settled, Math.ceil((covered + 2) / BATCH_IDS) * BATCH_IDS - 1);
    for (const head of await chainHeads(tx, covered + 1, to)) await this.#add(tx, head);
    await setCheckpointedId(tx, to);
    return to;
  }

  /**
   * Adds a checkpoint of a root that declares the entries of its chains up to these as deleted, and deletes the
   * checkpoints that cover nothing else but the last of them, which the others continue. Returns how many.
   */
  async addDeletion(tx: Transaction, ends: readonly [ChainHead, ...ChainHead[]]): Promise<number> {
    const [{ root }] = ends;
    const { first, declared } = await checkpointCut(
      tx,
      root,
      Math.max(...ends.map(({ id }) => id)),
    );
    for (const { chain, sequence, hash } of ends) declared.set(chain, [chain, sequence, hash]);
    await this.#add(tx, ends[0], { deleted: [...declared.values()], ...(first && { first }) });
    return first === undefined ? 0 : deleteCheckpoints(tx, root, first);
  }

  async #add(
    tx: Transaction,
    { root, chain, sequence, hash: entryHash, id }: ChainHead,
    more: Pick<Checkpoint, "deleted" | "first"> = {},
  ): Promise<void> {
    const last = await lastCheckpoint(tx, root);
    const claims: Checkpoint = {
      type: "wharf-audit-checkpoint",
      root,
      number: await nextCheckpointNumber(tx, this.#deps.secrets, root, last?.number ?? 0),
      previous: last === undefined ? "" : checkpointHash(last.signed),
      ...{ chain, sequence, hash: entryHash },
      ...more,
    };
    await this.#store(tx, claims, id);
  }

  async #store(tx: Transaction, claims: Checkpoint, lastEntry: number): Promise<void> {
    const { keys, addresses } = this.#deps;
    const time = Date.now();
    const key = keys.keyFor([]);
    const iss = addresses().baseUrl;
    const signed = signJwt(key, { iss, iat: Math.floor(time / 1000), ...claims });
    await addAuditKey(tx, key.kid, jwkOf(key));
    const { root, number, chain, sequence } = claims;
    const added: StoredCheckpoint = { root, number, time, chain, sequence, lastEntry, signed };
    await addCheckpoint(tx, added);
  }
}

function jwkOf({ publicKey, kid, algorithm: alg }: SigningKey): string {
  return JSON.stringify({ ...publicKey.export({ format: "jwk" }), kid, alg });
}

/**
 * The first checkpoint of a root that is kept when its entries up to an id are deleted; undefined if all are. What those
 * before it declare as deleted is declared again if the others need it.
 */
async function checkpointCut(tx: Transaction, root: string, lastDeleted: number) {
  const oldest = await coveringUntil(tx, root, lastDeleted, CUT_BATCH);
  const first = oldest.length < 2 ? undefined : oldest.at(-1)?.number;
  const declared = new Map<string, ChainEnd>();
  if (first === undefined) return { first, declared };
  const needed = await coveredChains(tx, root, first);
  for (const { signed } of oldest.slice(0, -1)) {
    for (const end of claimsOf(signed).deleted ?? [])
      if (needed.has(end[0])) declared.set(end[0], end);
  }
  return { first, declared };
}

function claimsOf(signed: string): Checkpoint {
  return JSON.parse(Buffer.from(signed.split(".")[1] ?? "", "base64url").toString());
}
