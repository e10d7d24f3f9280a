import {
  Decrypter,
  Encrypter,
  generateX25519Identity,
  identityToRecipient,
  type Stanza,
} from "age-encryption";

/**
 * Encrypted files in the format of age (https://age-encryption.org/v1), which any of its tools opens, as streams. A file
 * has a key of its own, which its header contains sealed: for recipients, or with a passphrase.
 */

/** The keys that open a file: recipients as of `readRecipient`, or a passphrase. */
export type Lock =
  | { readonly recipients: readonly string[] }
  /** The cost of guessing it is a power of two; a low one makes tests fast. */
  | { readonly passphrase: string; readonly workFactor?: number };

/** The keys to open a file with: identities as of `readIdentity`, or a passphrase. */
export type Unlock =
  | { readonly identities: readonly string[] }
  | { readonly passphrase: string }
  /** Of a file that this process has written. */
  | { readonly fileKey: Uint8Array };

/** A file that cannot be read: it is not an age file, was changed or cut off, or is for another key. */
export class AgeError extends Error {
  override readonly name = "AgeError";
}

/** As a power of two: 128 MiB, and about a second. */
const WORK_FACTOR = 17;

export async function createIdentity(): Promise<{ recipient: string; secret: string }> {
  const secret = await generateX25519Identity();
  return { recipient: await identityToRecipient(secret), secret };
}

/** Encrypts a file, and keeps what opens it: recipients alone could not read it again. */
export class AgeWriter {
  readonly #encrypter = new Encrypter();
  #unlock: Unlock | undefined;

  constructor(lock: Lock) {
    if ("passphrase" in lock) {
      this.#encrypter.setPassphrase(lock.passphrase);
      this.#encrypter.setScryptWorkFactor(lock.workFactor ?? WORK_FACTOR);
      this.#unlock = lock;
      return;
    }
    for (const recipient of lock.recipients) this.#encrypter.addRecipient(recipient);
    // Adds nothing to the header.
    this.#encrypter.addRecipient({
      wrapFileKey: (fileKey) => {
        this.#unlock = { fileKey };
        return [];
      },
    });
  }

  async *encrypt(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* await this.#encrypter.encrypt(ReadableStream.from(content));
  }

  /** Opens the encrypted file. */
  get unlock(): Unlock {
    if (this.#unlock === undefined) throw new Error("nothing was encrypted");
    return this.#unlock;
  }
}

/** The content of a file. Throws an AgeError where it was changed or cut off: use nothing before the end. */
export async function* decrypt(
  source: AsyncIterable<Uint8Array>,
  unlock: Unlock,
): AsyncGenerator<Uint8Array> {
  let hasHeader = false;
  const decrypter = new Decrypter();
  // The library tries identities in their order: the first sees every valid header, the last what no other opens.
  decrypter.addIdentity({
    unwrapFileKey: (stanzas) => {
      hasHeader = true;
      return "fileKey" in unlock ? unlock.fileKey : mustBeFor(unlock, stanzas);
    },
  });
  if ("passphrase" in unlock) decrypter.addPassphrase(unlock.passphrase);
  if ("identities" in unlock)
    for (const identity of unlock.identities) decrypter.addIdentity(identity);
  decrypter.addIdentity({
    unwrapFileKey: () => {
      if ("passphrase" in unlock) throw new AgeError("the passphrase is another one");
      throw new AgeError("it is for other recipients than these identities");
    },
  });
  try {
    yield* await decrypter.decrypt(ReadableStream.from(source));
  } catch (error) {
    // Errors of the file system have a code.
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof AgeError || typeof code === "string") throw error;
    const problem = hasHeader
      ? "it was changed or cut off"
      : "it is not a file that was encrypted with age";
    throw new AgeError(problem, { cause: error });
  }
}

function mustBeFor(unlock: Exclude<Unlock, { fileKey: Uint8Array }>, stanzas: Stanza[]): null {
  const isByPassphrase = stanzas.length === 1 && stanzas[0]?.args[0] === "scrypt";
  if ("passphrase" in unlock && !isByPassphrase)
    throw new AgeError("it is for recipients, not for a passphrase");
  if ("identities" in unlock && isByPassphrase)
    throw new AgeError("it is for a passphrase, not for recipients");
  return null;
}
