import { auditRoot } from "../audit-content.ts";
import { CheckpointSet, type Proof } from "./checkpoints.ts";
import type { EntryLine, HeaderLine, Line } from "./lines.ts";

/** The format that can be verified. */
const FORMAT = "wharf-audit-1";

/** Further problems are only counted. */
const MAX_PROBLEMS = 100;

export interface Report {
  readonly problems: readonly string[];
  readonly problemCount: number;
  /** Keys that are not trusted, or not there, and have signed checkpoints: the export is not verified. */
  readonly unknownKeys: readonly string[];
  readonly entries: number;
  /** The time of the first entry: a log that begins late may have been removed until then. */
  readonly since: string | undefined;
  readonly checkpoints: number;
  readonly chains: number;
  /** Entries of versions before 0.2.0, which have no hash. */
  readonly unhashed: number;
  /** Entries that are not in the export, because of its filter. */
  readonly filtered: number;
  /** Whether removed entries would have been noticed. */
  readonly isComplete: boolean;
}

interface Seen {
  sequence: number;
  hash: string;
  readonly root: string;
}

/**
 * Verifies an export line by line: checkpoints come before the entries that they cover.
 *
 * @example
 * const verifier = new AuditVerifier();
 * for (const line of lines) verifier.add(line, await proofOf(line));
 * const { problems } = verifier.finish();
 */
export class AuditVerifier {
  #header: HeaderLine | undefined;
  #checkpoints: CheckpointSet | undefined;
  readonly #seen = new Map<string, Seen>();
  readonly #problems: string[] = [];
  #problemCount = 0;
  #entries = 0;
  #since: string | undefined;
  #unhashed = 0;
  #filtered = 0;

  /** Adds the next line, with what was found out about it. */
  add(line: Line, proof: Proof): void {
    if (this.#header === undefined && line.kind !== "header") {
      throw new Error("the file does not begin with the header of an export as JSON Lines");
    }
    if (line.kind === "header") this.#begin(line);
    else if (line.kind === "checkpoint") this.#report(this.#checkpoints?.add(line.signed, proof));
    else this.#addEntry(line, proof.hash);
  }

  #begin(header: HeaderLine): void {
    if (this.#header !== undefined) throw new Error("the file has a second header");
    if (header.format !== FORMAT) throw new Error(`the format ${header.format} is unknown`);
    this.#header = header;
    this.#checkpoints = new CheckpointSet();
  }

  #addEntry(entry: EntryLine, found: string): void {
    this.#entries += 1;
    this.#since ??= entry.time;
    const { integrity, uid } = entry;
    if (integrity === undefined) {
      this.#unhashed += 1;
      if (this.#seen.size > 0) this.#report(`entry ${uid} has no hash, but entries before it have`);
      return;
    }
    const { chain, previousHash, hash } = integrity;
    const sequence = Number(integrity.sequence);
    if (found !== hash) this.#report(`entry ${uid} was changed`);
    const root = auditRoot(entry.resource.uid, entry.actor.uid);
    this.#follow(uid, root, { chain, sequence, previousHash });
    this.#compare(uid, root, { chain, sequence, hash });
    this.#seen.set(chain, { sequence, hash, root });
  }

  /** Checks that an entry follows the one before it in its chain. */
  #follow(
    uid: string,
    root: string,
    { chain, sequence, previousHash }: { chain: string; sequence: number; previousHash: string },
  ): void {
    const seen = this.#seen.get(chain);
    const start = this.#checkpoints?.deleted.get(chain) ?? { sequence: 0, hash: "" };
    // Entries that retention has declared as deleted may still be there.
    if (seen === undefined && sequence <= start.sequence) return;
    const last = seen ?? start;
    if (sequence <= last.sequence) {
      this.#report(`entry ${uid} is repeated, or not in its order`);
    } else if (sequence > last.sequence + 1) {
      const missing = sequence - last.sequence - 1;
      if (this.#isComplete(root)) this.#report(`${entriesText(missing)} missing before ${uid}`);
      else this.#filtered += missing;
    } else if (last.sequence === 0) {
      const problem = this.#checkpoints?.beginProblem(root, previousHash);
      if (problem !== undefined) this.#report(`entry ${uid} follows ${problem}`);
    } else if (previousHash !== last.hash) {
      this.#report(`entry ${uid} does not follow the entry before it: one of them was replaced`);
    }
    if (seen !== undefined && seen.root !== root) {
      this.#report(`entry ${uid} is of another organization than its chain`);
    }
  }

  /** Compares an entry with the checkpoints of its chain. */
  #compare(
    uid: string,
    root: string,
    { chain, sequence, hash }: { chain: string; sequence: number; hash: string },
  ): void {
    const covered = this.#checkpoints?.covered.get(chain) ?? 0;
    if (sequence > covered)
      this.#report(`entry ${uid} is covered by no checkpoint: it was inserted`);
    const anchor = this.#checkpoints?.anchors.get(chain)?.get(sequence);
    if (anchor !== undefined && anchor.hash !== hash) {
      this.#report(`entry ${uid} contradicts checkpoint ${anchor.number}: it was changed`);
    }
    const signed = this.#checkpoints?.rootOf.get(chain);
    if (signed !== undefined && signed !== root) {
      this.#report(`entry ${uid} is of another organization than its checkpoints`);
    }
  }

  /**
   * Compares with an older export of the same log, once all lines of both were added. Returns the number of checkpoints
   * that both have. Only this finds that a whole store was replaced by an earlier copy.
   */
  compareWith(older: AuditVerifier): number {
    if (this.#checkpoints === undefined || older.#checkpoints === undefined) return 0;
    if ((older.#header?.time ?? "") > (this.#header?.time ?? "")) {
      throw new Error("the export to compare with is the newer one");
    }
    const { same, problems } = this.#checkpoints.compare(older.#checkpoints, (root) =>
      this.#isComplete(root),
    );
    for (const problem of problems) this.#report(problem);
    return same;
  }

  /** The result, once all lines were added. */
  finish(): Report {
    if (this.#header === undefined || this.#checkpoints === undefined) {
      throw new Error("the file is empty");
    }
    const { covered: coveredOf, deleted, rootOf, count, unknownKeys } = this.#checkpoints;
    for (const problem of this.#checkpoints.problems()) this.#report(problem);
    for (const [chain, covered] of coveredOf) {
      const last = Math.max(
        this.#seen.get(chain)?.sequence ?? 0,
        deleted.get(chain)?.sequence ?? 0,
      );
      const root = rootOf.get(chain) ?? "";
      if (last >= covered) continue;
      if (this.#isComplete(root)) this.#report(`${entriesText(covered - last)} missing at the end`);
      else this.#filtered += covered - last;
    }
    return {
      problems: this.#problems,
      problemCount: this.#problemCount,
      unknownKeys: [...unknownKeys],
      entries: this.#entries,
      since: this.#since,
      checkpoints: count,
      chains: this.#seen.size,
      unhashed: this.#unhashed,
      filtered: this.#filtered,
      isComplete: this.#header.roots.length > 0,
    };
  }

  #isComplete(root: string): boolean {
    const roots = this.#header?.roots ?? [];
    return roots.includes("*") || roots.includes(root);
  }

  #report(problem: string | undefined): void {
    if (problem === undefined) return;
    this.#problemCount += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }
}

function entriesText(count: number): string {
  return count === 1 ? "1 entry is" : `${count} entries are`;
}
