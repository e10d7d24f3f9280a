import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { sha256 } from "./lines.ts";

/** What a checkpoint says; see docs/audit.md. */
export interface Checkpoint {
  readonly type: string;
  readonly root: string;
  readonly number: number;
  readonly previous: string;
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
  readonly deleted?: readonly (readonly [chain: string, sequence: number, hash: string])[];
  readonly first?: number;
}

/** An entry that a checkpoint names. */
export interface Anchor {
  readonly hash: string;
  readonly number: number;
}

/** The checkpoints of an export: their signatures, their order, and what they say about chains. */
export class CheckpointSet {
  readonly #keys = new Map<string, KeyObject>();
  readonly #last = new Map<string, { readonly number: number; readonly hash: string }>();
  /** The first checkpoint of a root, and the first that there may be after retention. */
  readonly #begins = new Map<string, number>();
  readonly #mayBegin = new Map<string, number>();
  /** By chain and sequence. */
  readonly anchors = new Map<string, Map<number, Anchor>>();
  /** The last entry that checkpoints cover, by chain. */
  readonly covered = new Map<string, number>();
  /** The last entry that retention has deleted, by chain. */
  readonly deleted = new Map<string, { readonly sequence: number; readonly hash: string }>();
  readonly rootOf = new Map<string, string>();
  count = 0;

  constructor(keys: readonly object[]) {
    for (const jwk of keys) {
      const { kid } = jwk as { readonly kid: string };
      this.#keys.set(kid, createPublicKey({ key: jwk, format: "jwk" }));
    }
  }

  /** Adds the next checkpoint. Returns what is wrong with it. */
  add(signed: string): string | undefined {
    const checkpoint = this.#open(signed);
    if (typeof checkpoint === "string") return checkpoint;
    const { root, number, previous, chain, sequence, hash, deleted = [], first = 1 } = checkpoint;
    const where = `checkpoint ${number} of ${root || "the installation"}`;
    const last = this.#last.get(root);
    if (last === undefined) this.#begins.set(root, number);
    this.#mayBegin.set(root, Math.max(first, this.#mayBegin.get(root) ?? 1));
    this.#last.set(root, { number, hash: sha256(signed) });
    this.count += 1;
    this.rootOf.set(chain, root);
    const anchors = this.anchors.get(chain) ?? new Map<number, Anchor>();
    this.anchors.set(chain, anchors);
    anchors.set(sequence, { hash, number });
    this.covered.set(chain, Math.max(sequence, this.covered.get(chain) ?? 0));
    for (const [one, end, endHash] of deleted) {
      const known = this.deleted.get(one)?.sequence ?? 0;
      if (end > known) this.deleted.set(one, { sequence: end, hash: endHash });
      this.covered.set(one, Math.max(end, this.covered.get(one) ?? 0));
      this.rootOf.set(one, root);
    }
    if (last === undefined) return undefined;
    if (number !== last.number + 1) {
      return `${where} follows checkpoint ${last.number}: checkpoints were removed or reordered`;
    }
    if (previous !== last.hash) return `${where} does not follow the one before: it was replaced`;
    return undefined;
  }

  /** What is wrong with the beginning: retention declares which checkpoints it deletes. */
  *problems(): Generator<string> {
    for (const [root, number] of this.#begins) {
      if (number <= (this.#mayBegin.get(root) ?? 1)) continue;
      yield `checkpoint ${number} of ${root || "the installation"} is the first: checkpoints were removed`;
    }
  }

  /** The content of a checkpoint with a valid signature, or what is wrong with it. */
  #open(signed: string): Checkpoint | string {
    const [header = "", payload = "", signature = ""] = signed.split(".");
    try {
      const { alg, kid } = parse<{ alg: string; kid: string }>(header);
      const key = this.#keys.get(kid);
      if (key === undefined) return `a checkpoint is signed with the unknown key ${kid}`;
      const isValid =
        alg === "ES256" &&
        verify(
          "sha256",
          Buffer.from(`${header}.${payload}`),
          { key, dsaEncoding: "ieee-p1363" },
          Buffer.from(signature, "base64url"),
        );
      if (!isValid) return "a checkpoint has an invalid signature";
      const checkpoint = parse<Checkpoint>(payload);
      if (checkpoint.type === "wharf-audit-checkpoint") return checkpoint;
    } catch {
      // Reported below.
    }
    return "a checkpoint is malformed";
  }
}

function parse<T>(part: string): T {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as T;
}
