import {
  AuditVerifier,
  hashedText,
  type Line,
  type Proof,
  type Report,
  signatureOf,
} from "@wharf/contract/audit";

/** Lines whose hashes are computed at the same time. */
const BATCH_SIZE = 256;

type Keys = ReadonlyMap<string, CryptoKey>;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };

/** Verifies an export with the cryptography of the browser, as `wharf audit verify` does. */
export class BrowserVerifier {
  readonly #lines = new AuditVerifier();
  readonly #trusted: readonly JsonWebKey[] | undefined;
  #keys: Keys = new Map();
  /** The beginning of a line whose end has not arrived. */
  #rest = "";

  /** Trusts these keys, or those of the export if there are none. */
  constructor(trusted?: readonly JsonWebKey[]) {
    this.#trusted = trusted;
  }

  /** Adds the next text of the export. */
  async add(text: string): Promise<void> {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    await this.#addLines(lines);
  }

  async finish(): Promise<Report> {
    await this.#addLines([this.#rest]);
    return this.#lines.finish();
  }

  async #addLines(texts: readonly string[]): Promise<void> {
    const lines = texts.filter((text) => text !== "").map((text) => JSON.parse(text) as Line);
    for (let at = 0; at < lines.length; at += BATCH_SIZE) {
      const batch = lines.slice(at, at + BATCH_SIZE);
      const header = batch.find((line) => line.kind === "header");
      if (header !== undefined)
        this.#keys = await importKeys(this.#trusted ?? (header.keys as readonly JsonWebKey[]));
      const proofs = await Promise.all(batch.map((line) => this.#proofOf(line)));
      for (const [index, line] of batch.entries()) this.#lines.add(line, proofs[index] as Proof);
    }
  }

  async #proofOf(line: Line): Promise<Proof> {
    const hash = await sha256(hashedText(line));
    if (line.kind !== "checkpoint") return { hash };
    const { kid = "", content = "", signature } = signatureOf(line.signed) ?? {};
    const key = this.#keys.get(kid);
    if (key === undefined || signature === undefined) return { hash };
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signed = new TextEncoder().encode(content);
    const isSigned = await crypto.subtle
      .verify(algorithm, key, signature, signed)
      .catch(() => false);
    return { hash, isSigned };
  }
}

async function importKeys(keys: readonly JsonWebKey[]): Promise<Keys> {
  const imported = keys.map(async (jwk) => {
    const { kid = "" } = jwk as { readonly kid?: string };
    const { kty = "", crv = "", x = "", y = "" } = jwk;
    const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, ALGORITHM, false, [
      "verify",
    ]);
    return [kid, key] as const;
  });
  return new Map(await Promise.all(imported));
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
