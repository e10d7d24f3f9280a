import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type Settings } from "../config/settings.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import type { Store } from "../store/db/store.ts";
import {
  deleteInstallation,
  initInstallation,
  readInstallation,
} from "../store/tables/installation.ts";

/** For AES-256. */
const KEY_BYTES = 32;

/** The key that seals secrets, and where it is kept, for messages. */
export interface SecretKey {
  readonly key: Buffer;
  readonly from: string;
}

/** Where PostgreSQL keeps the key of an installation that has no key file. */
const STORED_KEY = "secret-key";

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
    return { key: await storedKey(store, hasSealed), from: "the key in the database" };
  }
  const path = join(data, "secret.key");
  const known = readKey(path);
  if (known === undefined && hasSealed) {
    throw new ConfigError(
      `${path} is missing: stored keys and secrets cannot be read without it. ${WHAT_TO_DO}`,
    );
  }
  return { key: known ?? makeKey(path), from: path };
}

/** What operators do about a key that is missing, or another one. */
export const WHAT_TO_DO =
  "Restore it from its backup, or name it with --secret-key-file; where it is lost, see docs/after-a-leak.md";

async function storedKey(store: Store, hasSealed: boolean): Promise<Buffer> {
  const known = await readInstallation(store.reader, STORED_KEY);
  if (known === undefined && hasSealed) {
    throw new ConfigError(
      `the key of stored keys and secrets is not in the database. ${WHAT_TO_DO}`,
    );
  }
  if (known !== undefined) return Buffer.from(known, "base64url");
  const fresh = randomBytes(KEY_BYTES).toString("base64url");
  const settled = await store.write((tx) => initInstallation(tx, STORED_KEY, fresh));
  return Buffer.from(settled, "base64url");
}

/** Drops the key in the database, once nothing is sealed with it. */
export async function dropStoredKey(tx: Transaction): Promise<void> {
  await deleteInstallation(tx, STORED_KEY);
}

/**
 * The key in a file: its bytes, or their base64; undefined where there is no such file.
 *
 * @example const key = readKey("/etc/wharf/secret.key");
 */
export function readKey(path: string): Buffer | undefined {
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
