import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type Settings } from "../config.ts";
import { installationSecret } from "../store/installation.ts";
import type { Store } from "../store/store.ts";

/** For AES-256. */
const KEY_BYTES = 32;

/** The key that seals secrets, and where it is kept, for messages. */
export interface SecretKey {
  readonly key: Buffer;
  readonly from: string;
}

/**
 * The key of this installation: from the file that the settings name, else from a file beside the
 * embedded database, else from the database. The last two are made when they are first needed,
 * unless something was sealed before, with a key that is now missing.
 *
 * @example const { key } = await loadKey(settings, store, false);
 */
export async function loadKey(
  { secretKeyFile, databaseUrl, data }: Settings,
  store: Store,
  hasSealed: boolean,
): Promise<SecretKey> {
  if (secretKeyFile !== "") {
    const key = readKey(secretKeyFile);
    if (key === undefined) throw new ConfigError(`--secret-key-file ${secretKeyFile} is missing`);
    return { key, from: secretKeyFile };
  }
  if (databaseUrl !== "") {
    const key = await installationSecret(store, "secret-key");
    return { key, from: "the key in the database" };
  }
  const path = join(data, "secret.key");
  const known = readKey(path);
  if (known === undefined && hasSealed) {
    throw new ConfigError(`${path} is missing: stored secrets cannot be read without it`);
  }
  return { key: known ?? makeKey(path), from: path };
}

/** The key in a file: its bytes, or their base64; undefined where there is no such file. */
function readKey(path: string): Buffer | undefined {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new ConfigError(`${path} cannot be read: ${message}`);
  }
  if (content.length === KEY_BYTES) return content;
  const decoded = Buffer.from(content.toString("latin1").trim(), "base64");
  if (decoded.length === KEY_BYTES) return decoded;
  throw new ConfigError(`${path} must hold ${KEY_BYTES} random bytes, as they are or as base64`);
}

/** Makes a key file that is there whole or not at all, whoever else makes it at the same time. */
function makeKey(path: string): Buffer {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, randomBytes(KEY_BYTES));
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}
