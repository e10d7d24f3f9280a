import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import {
  AuditVerifier,
  type EntryLine,
  hashedText,
  type Line,
  type Proof,
  type Report,
  signatureOf,
} from "@wharf/contract/audit";

/** Verifies an export line by line. */
export class Verifier {
  readonly #lines = new AuditVerifier();
  #keys: ReadonlyMap<string, KeyObject> | undefined;

  /** Trusts these keys, or those of the export if there are none. */
  constructor(trusted?: readonly object[]) {
    if (trusted !== undefined) this.#keys = readKeys(trusted);
  }

  add(line: Line): void {
    if (line.kind === "header") this.#keys ??= readKeys(line.keys);
    this.#lines.add(line, this.#proofOf(line));
  }

  /** Compares with an older export. Returns the number of checkpoints that both have. */
  compareWith(older: Verifier): number {
    return this.#lines.compareWith(older.#lines);
  }

  finish(): Report {
    return this.#lines.finish();
  }

  #proofOf(line: Line): Proof {
    const hash = sha256(hashedText(line));
    if (line.kind !== "checkpoint") return { hash };
    const { kid = "", content = "", signature } = signatureOf(line.signed) ?? {};
    const key = this.#keys?.get(kid);
    if (key === undefined || signature === undefined) return { hash };
    const options = { key, dsaEncoding: "ieee-p1363" } as const;
    return { hash, isSigned: verify("sha256", Buffer.from(content), options, signature) };
  }
}

function readKeys(keys: readonly object[]): ReadonlyMap<string, KeyObject> {
  return new Map(
    keys.map((jwk) => {
      const { kid } = jwk as { readonly kid: string };
      return [kid, createPublicKey({ key: jwk, format: "jwk" })];
    }),
  );
}

/** The hash that an entry must have. */
export function entryHash(
  entry: EntryLine,
  integrity: NonNullable<EntryLine["integrity"]>,
): string {
  return sha256(hashedText({ ...entry, integrity }));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
