import { randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { base64, fromBase64, openKey, type Stanza, sealKey } from "./stanza.ts";

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

const TYPE = "scrypt";
const LABEL = "age-encryption.org/v1/scrypt";
const SALT_BYTES = 16;
const BLOCK_SIZE = 8;

/** As a power of two: 128 MiB, and half a second. */
const WORK_FACTOR = 17;
/** A file must not make its reader allocate more than 1 GiB. */
const MAX_WORK_FACTOR = 20;

export async function sealWithPassphrase(
  fileKey: Buffer,
  passphrase: string,
  workFactor: number = WORK_FACTOR,
): Promise<Stanza> {
  const salt = randomBytes(SALT_BYTES);
  const key = await keyOf(passphrase, salt, workFactor);
  return { type: TYPE, args: [base64(salt), String(workFactor)], body: sealKey(key, fileKey) };
}

/** The key of a file; undefined if it is not sealed with this passphrase. */
export async function openWithPassphrase({ type, args, body }: Stanza, passphrase: string) {
  const [salted = "", factor = ""] = args;
  const salt = fromBase64(salted);
  const isOurs = type === TYPE && args.length === 2 && /^[1-9]\d?$/.test(factor);
  if (!isOurs || salt?.length !== SALT_BYTES || Number(factor) > MAX_WORK_FACTOR) return undefined;
  return openKey(await keyOf(passphrase, salt, Number(factor)), body);
}

function keyOf(passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> {
  const cost = 2 ** workFactor;
  return derive(passphrase, Buffer.concat([Buffer.from(LABEL), salt]), 32, {
    cost,
    blockSize: BLOCK_SIZE,
    parallelization: 1,
    maxmem: 130 * BLOCK_SIZE * cost,
  });
}
