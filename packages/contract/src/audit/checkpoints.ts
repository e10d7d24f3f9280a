/** The signed content of a checkpoint, beside the standard claims `iss` and `iat`; see docs/audit.md. */
export interface Checkpoint {
  readonly type: "wharf-audit-checkpoint";
  /** The uid of the organization; empty for the installation. */
  readonly root: string;
  readonly number: number;
  /** The SHA-256 of the preceding checkpoint of the root; empty for the first. */
  readonly previous: string;
  /** The last entry that it covers. */
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
  /** Set where retention deletes entries: all of these chains up to here. */
  readonly deleted?: readonly ChainEnd[];
  /** Set where retention deletes checkpoints: the number of the first one that is left. */
  readonly first?: number;
}

/**
 * The name of a checkpoint in the first entry of a chain that began after it, in place of a previous hash.
 *
 * @example checkpointName(7, sha256(signed)) // "7:5e88…"
 */
export function checkpointName(number: number, hash: string): string {
  return `${number}:${hash}`;
}

/** An entry of a chain. */
export type ChainEnd = readonly [chain: string, sequence: number, hash: string];

/** The facts about a line that need the platform's cryptography. */
export interface Proof {
  /** The SHA-256 of `hashedText`, in hexadecimal. */
  readonly hash: string;
  /** Of a checkpoint: whether its signature is valid; undefined for an unknown key. */
  readonly isSigned?: boolean | undefined;
}

/** A signature, for the platform to check. */
export interface Signature {
  readonly kid: string;
  /** Always ES256; anything else is not valid. */
  readonly algorithm: string;
  readonly content: string;
  /** Both numbers, one after the other (IEEE P1363). */
  readonly signature: Uint8Array<ArrayBuffer>;
}

/**
 * The signature of a checkpoint; undefined if it is malformed.
 *
 * @example const { kid, content, signature } = signatureOf(line.signed) ?? {};
 */
export function signatureOf(signed: string): Signature | undefined {
  const [header = "", payload = "", signature = ""] = signed.split(".");
  try {
    const { alg, kid } = parse<{ alg: string; kid: string }>(header);
    const content = `${header}.${payload}`;
    return { kid, algorithm: alg, content, signature: bytesOf(signature) };
  } catch {
    return undefined;
  }
}

/** The result of a comparison with an older export. */
export interface Comparison {
  /** The number of checkpoints that are in both. */
  readonly same: number;
  readonly problems: readonly string[];
}

/** An entry that a checkpoint names. */
export interface Anchor {
  readonly hash: string;
  readonly number: number;
}

/** The checkpoints of an export: their signatures, their order, and what they say about chains. */
export class CheckpointSet {
  readonly #last = new Map<string, { readonly number: number; readonly hash: string }>();
  /** The hashes of all checkpoints, by root and number. */
  readonly hashes = new Map<string, Map<number, string>>();
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
  /** The keys of checkpoints whose signature cannot be checked. */
  readonly unknownKeys = new Set<string>();
  count = 0;

  /** Adds the next checkpoint. Returns what is wrong with it. */
  add(signed: string, { hash: signedHash, isSigned }: Proof): string | undefined {
    const checkpoint = open(signed, isSigned);
    if (typeof checkpoint === "string") return checkpoint;
    if (isSigned === undefined) this.unknownKeys.add(signatureOf(signed)?.kid ?? "");
    const { root, number, previous, chain, sequence, hash, deleted = [], first = 1 } = checkpoint;
    const where = `checkpoint ${number} of ${root || "the installation"}`;
    const last = this.#last.get(root);
    if (last === undefined) this.#begins.set(root, number);
    this.#mayBegin.set(root, Math.max(first, this.#mayBegin.get(root) ?? 1));
    this.#last.set(root, { number, hash: signedHash });
    const hashes = this.hashes.get(root) ?? new Map<number, string>();
    this.hashes.set(root, hashes);
    hashes.set(number, signedHash);
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

  /** The problem of the first entry of a chain, if any. It names the checkpoint before it unless there was none. */
  beginProblem(root: string, name: string): string | undefined {
    if (name === "") return undefined;
    const number = Number.parseInt(name, 10);
    const hash = this.hashes.get(root)?.get(number);
    if (hash !== undefined && name === checkpointName(number, hash)) return undefined;
    // Retention deletes checkpoints, but not their number.
    if (number < this.firstOf(root)) return undefined;
    return `checkpoint ${name.slice(0, 20)} of ${root || "the installation"}, which is not there: the log was cut back`;
  }

  /** The number of the first checkpoint of a root that retention has left. */
  firstOf(root: string): number {
    return this.#mayBegin.get(root) ?? 1;
  }

  /**
   * Compares with the checkpoints of an older export of the same log, which must all be there, except those that retention
   * has deleted. Returns how many are, and what is wrong.
   */
  compare(older: CheckpointSet, isComplete: (root: string) => boolean): Comparison {
    let same = 0;
    const problems: string[] = [];
    for (const [root, hashes] of older.hashes) {
      const own = this.hashes.get(root);
      if (own === undefined && !isComplete(root)) continue;
      const kept = [...hashes].filter(([number]) => number >= this.firstOf(root));
      const other = kept.filter(([number, hash]) => own?.get(number) !== hash);
      same += kept.length - other.length;
      if (other[0] === undefined) continue;
      const more = other.length === 1 ? "" : `, nor are ${other.length - 1} later ones`;
      problems.push(
        `checkpoint ${other[0][0]} of ${root || "the installation"} in the older export is not in this one${more}: the log was cut back, or restored from a backup`,
      );
    }
    return { same, problems };
  }

  /** Problems with the beginning: retention declares which checkpoints it deletes. */
  *problems(): Generator<string> {
    for (const [root, number] of this.#begins) {
      if (number <= this.firstOf(root)) continue;
      yield `checkpoint ${number} of ${root || "the installation"} is the first: checkpoints were removed`;
    }
  }
}

/** The content of a checkpoint whose signature is valid or cannot be checked, or what is wrong with it. */
function open(signed: string, isSigned: boolean | undefined): Checkpoint | string {
  const { kid, algorithm } = signatureOf(signed) ?? {};
  if (kid === undefined) return "a checkpoint is malformed";
  if (isSigned === false || algorithm !== "ES256") return "a checkpoint has an invalid signature";
  try {
    const checkpoint = parse<Checkpoint>(signed.split(".")[1] ?? "");
    if (checkpoint.type === "wharf-audit-checkpoint") return checkpoint;
  } catch {
    // Reported below.
  }
  return "a checkpoint is malformed";
}

function parse<T>(part: string): T {
  return JSON.parse(new TextDecoder().decode(bytesOf(part))) as T;
}

/** Decodes base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
