import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { clientNetwork } from "../../lib/client-network.ts";
import { FairQueue, QueueFullError } from "../../lib/fair-queue.ts";
import { tooMany } from "../attempts.ts";

/**
 * Passwords are kept as argon2id in the form of the PHC competition, which says how each was made:
 * `$argon2id$v=19$m=65536,t=3,p=1$<salt>$<tag>`, both as base64 without padding.
 */

/** The second choice of RFC 9106, in one lane: a fraction of a second, and 64 MiB for each guess. */
const PARAMETERS = { memory: 65_536, passes: 3, parallelism: 1 } as const;

const SALT_BYTES = 16;
const TAG_BYTES = 32;

const PHC =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,3}),p=(?<parallelism>\d{1,2})\$(?<salt>[A-Za-z0-9+/]+)\$(?<tag>[A-Za-z0-9+/]+)$/;

/**
 * Two at a time, because each takes a thread of four that all other work of this kind shares, and
 * 64 MiB. The client network with the fewest wrong ones lately is next: guessers delay themselves.
 */
const queue = new FairQueue({ concurrency: 2, waitingPerKey: 8, waiting: 128 });

/** A full queue takes some seconds to drain. */
const RETRY_AFTER_MS = 5_000;

/** What is kept of a password. It queues with others from the same client address. */
export async function hashPassword(password: string, address: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, { ...PARAMETERS, salt, tagLength: TAG_BYTES }, address);
  // Nobody guesses by setting a password.
  queue.forgive(clientNetwork(address));
  const { memory, passes, parallelism } = PARAMETERS;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/**
 * Whether a password is the one that a hash was made of. Without a hash it takes as long and says
 * no, so that time does not tell who has an account.
 */
export async function verifyPassword(
  hash: string | undefined,
  password: string,
  address: string,
): Promise<boolean> {
  const parts = hash ? parse(hash) : undefined;
  const { tag, ...made } = parts ?? NOBODYS;
  const derived = await derive(password, { ...made, tagLength: tag.length }, address);
  const isRight = timingSafeEqual(derived, tag) && parts !== undefined;
  if (isRight) queue.forgive(clientNetwork(address));
  return isRight;
}

/** Whether a hash was made otherwise than new ones are. */
export function isOutdated(hash: string): boolean {
  const { memory, passes, parallelism, salt, tag } = parse(hash);
  return (
    memory !== PARAMETERS.memory ||
    passes !== PARAMETERS.passes ||
    parallelism !== PARAMETERS.parallelism ||
    salt.length !== SALT_BYTES ||
    tag.length !== TAG_BYTES
  );
}

interface Made {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
}

/** What is computed in place of a hash that is not there. */
const NOBODYS = {
  ...PARAMETERS,
  salt: Buffer.alloc(SALT_BYTES),
  tag: Buffer.alloc(TAG_BYTES),
};

function parse(hash: string): Made & { readonly tag: Buffer } {
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

async function derive(
  password: string,
  { salt, ...made }: Made & { readonly tagLength: number },
  address: string,
): Promise<Buffer> {
  // The same letters can be typed in several ways: RFC 8265 settles on one.
  const message = Buffer.from(password.normalize("NFC"), "utf8");
  try {
    return await queue.run(clientNetwork(address), () =>
      argon2id("argon2id", { ...made, message, nonce: salt }),
    );
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw tooMany("too many sign-ins are queued: try again in a moment", RETRY_AFTER_MS);
  }
}

const argon2id = promisify(argon2);

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
