import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Key, PrivateKey } from "openpgp";
import { ConfigError } from "../../config/settings.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { WharfError } from "../../lib/errors.ts";
import { Semaphore } from "../../lib/scheduling/semaphore.ts";

type Library = typeof import("openpgp");

/** A signature with RSA takes some thirty milliseconds of a core. */
const CONCURRENCY = 2;

/** Signatures have up to a kilobyte. */
const CACHE = { maxEntries: 20_000, maxBytes: 8 * 1024 * 1024 };

/** Signs the CSAF documents of all feeds with the OpenPGP key of the installation. */
export class FeedSigner {
  /** The fingerprint of the primary key, in uppercase hexadecimal digits. */
  readonly fingerprint: string;
  /** The armored public key. */
  readonly publicKey: string;
  readonly #library: Library;
  readonly #key: PrivateKey;
  readonly #semaphore = new Semaphore(CONCURRENCY);
  /** By the hash of the content, which does not reveal documents to those who may not read them. */
  readonly #signatures = new BoundedCache<string, string>(CACHE);
  readonly #pending = new Map<string, Promise<string>>();

  constructor(library: Library, key: PrivateKey) {
    this.#library = library;
    this.#key = key;
    this.fingerprint = key.getFingerprint().toUpperCase();
    this.publicKey = key.toPublic().armor();
  }

  /** The armored, detached signature of a text's UTF-8 bytes. */
  async sign(text: string): Promise<string> {
    const digest = hash("sha256", text, "base64url");
    const known = this.#signatures.get(digest) ?? this.#pending.get(digest);
    if (known !== undefined) return known;
    const signing = this.#semaphore
      .run(() => this.#sign(text))
      .then((signature) => {
        this.#signatures.set(digest, signature, digest.length + signature.length);
        return signature;
      })
      .finally(() => this.#pending.delete(digest));
    this.#pending.set(digest, signing);
    return signing;
  }

  async #sign(text: string): Promise<string> {
    // The key may expire while the server runs.
    const problem = await signingProblem(this.#key);
    if (problem !== undefined) {
      throw new WharfError("UNAVAILABLE", `the OpenPGP key of CSAF documents ${problem}`);
    }
    const { createMessage, sign } = this.#library;
    const message = await createMessage({ binary: Buffer.from(text) });
    return sign({ message, signingKeys: this.#key, detached: true });
  }
}

/** Reads the key that signs CSAF documents; undefined if none is configured. */
export async function openSigner(path: string): Promise<FeedSigner | undefined> {
  if (path === "") return undefined;
  const flag = `--csaf-openpgp-key ${path}`;
  let armoredKeys: string;
  try {
    armoredKeys = readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${flag} cannot be read: ${(error as Error).message}`);
  }
  // Large, and needed by few installations.
  const library = await import("openpgp");
  const keys = await library.readKeys({ armoredKeys }).catch((error: Error): Key[] => {
    throw new ConfigError(`${flag} is not an armored OpenPGP key: ${error.message}`);
  });
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    throw new ConfigError(`${flag} must contain one OpenPGP key, not ${keys.length}`);
  }
  if (!key.isPrivate()) throw new ConfigError(`${flag} has no private key, only the public one`);
  const problem = await signingProblem(key);
  if (problem !== undefined) throw new ConfigError(`${flag} ${problem}`);
  return new FeedSigner(library, key);
}

/** Why a key cannot sign now; undefined if it can. */
async function signingProblem(key: PrivateKey): Promise<string | undefined> {
  if (await key.isRevoked()) return "is revoked";
  const expires = await key.getExpirationTime();
  if (expires !== null && Number(expires) <= Date.now()) {
    return `expired at ${new Date(Number(expires)).toISOString()}`;
  }
  try {
    // The key that the library signs with, which is often a subkey.
    const { keyPacket } = await key.getSigningKey();
    if ("isDecrypted" in keyPacket && keyPacket.isDecrypted()) return undefined;
    return "is protected by a passphrase: export it without one, and let only the service read the file";
  } catch (error) {
    return `cannot sign: ${(error as Error).message}`;
  }
}
