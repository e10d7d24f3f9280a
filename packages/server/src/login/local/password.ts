import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { tooMany } from "../../lib/errors.ts";
import { clientNetwork } from "../../lib/net/client-network.ts";
import { FairQueue, QueueFullError } from "../../lib/scheduling/fair-queue.ts";

/** The cost parameters of argon2id; `memory` in KiB. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The second recommended option of RFC 9106, with one lane: a fraction of a second and 64 MiB per guess. */
export const PASSWORD_COST: PasswordCost = { memory: 65_536, passes: 3, parallelism: 1 };

const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** PHC string format: `$argon2id$v=19$m=65536,t=3,p=1$<salt>$<tag>`, base64 without padding. */
const PHC =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,3}),p=(?<parallelism>\d{1,2})\$(?<salt>[A-Za-z0-9+/]+)\$(?<tag>[A-Za-z0-9+/]+)$/;

interface Derivation extends PasswordCost {
  readonly salt: Buffer;
}

/**
 * Hashes and verifies passwords with argon2id. The cost is fixed in the composition root; it is not a
 * setting, so an operator cannot weaken it.
 */
export class PasswordHasher {
  readonly #cost: PasswordCost;
  /**
   * Two at a time: each needs 64 MiB and one of the four threads of the pool. The client network with
   * the fewest recent failures goes first, so guessing delays only the guesser.
   */
  readonly #queue = new FairQueue({ concurrency: 2, maxQueuedPerKey: 8, maxQueued: 128 });

  constructor(cost: PasswordCost = PASSWORD_COST) {
    this.#cost = cost;
  }

  /** Hashes a new password. Queues with other requests of the same client network. */
  async hash(password: string, address: string): Promise<string> {
    const { memory, passes, parallelism } = this.#cost;
    const salt = randomBytes(SALT_BYTES);
    const derivation = { memory, passes, parallelism, salt };
    const tag = await this.#derive(password, derivation, TAG_BYTES, address);
    // Setting a password is not a guess.
    this.#queue.forgive(clientNetwork(address));
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
  }

  /**
   * Whether a password matches a hash. Without a hash it takes the same time and returns false, so that
   * timing does not reveal whether an account exists.
   */
  async verify(hash: string | undefined, password: string, address: string): Promise<boolean> {
    const parsed = hash ? parse(hash) : undefined;
    const { tag, ...derivation } = parsed ?? this.#placeholder;
    const derived = await this.#derive(password, derivation, tag.length, address);
    const matches = timingSafeEqual(derived, tag) && parsed !== undefined;
    if (matches) this.#queue.forgive(clientNetwork(address));
    return matches;
  }

  /** Whether a hash has other parameters than new hashes. */
  isOutdated(hash: string): boolean {
    const { memory, passes, parallelism, salt, tag } = parse(hash);
    return (
      memory !== this.#cost.memory ||
      passes !== this.#cost.passes ||
      parallelism !== this.#cost.parallelism ||
      salt.length !== SALT_BYTES ||
      tag.length !== TAG_BYTES
    );
  }

  /** Computed in place of a missing hash. */
  get #placeholder(): Derivation & { readonly tag: Buffer } {
    return { ...this.#cost, salt: Buffer.alloc(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) };
  }

  async #derive(
    password: string,
    { salt, ...cost }: Derivation,
    tagLength: number,
    address: string,
  ): Promise<Buffer> {
    // Unicode normalization as in RFC 8265: the same characters can be typed in several ways.
    const message = Buffer.from(password.normalize("NFC"), "utf8");
    try {
      return await this.#queue.run(clientNetwork(address), () =>
        argon2id("argon2id", { ...cost, tagLength, message, nonce: salt }),
      );
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw tooMany("too many sign-ins are queued: try again in a moment");
    }
  }
}

function parse(hash: string): Derivation & { readonly tag: Buffer } {
  const groups = PHC.exec(hash)?.groups;
  if (groups === undefined) throw new Error("a stored password hash cannot be read");
  return {
    memory: Number(groups.memory),
    passes: Number(groups.passes),
    parallelism: Number(groups.parallelism),
    salt: Buffer.from(groups.salt as string, "base64"),
    tag: Buffer.from(groups.tag as string, "base64"),
  };
}

const argon2id = promisify(argon2);

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
