import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type Settings } from "../config/settings.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Reader } from "../store/db/connection.ts";
import { SECRET_KEY } from "../store/db/open.ts";
import type { Store } from "../store/db/store.ts";
import {
  deleteInstallation,
  initInstallation,
  readInstallation,
} from "../store/tables/installation.ts";

/** AES-256. */
const KEY_BYTES = 32;

/** The key that seals secrets, and its source, for messages. */
export interface SecretKey {
  readonly key: Buffer;
  readonly from: string;
  /** Whether it is a row of the database. */
  readonly isStored: boolean;
}

/** The row with the key, for PostgreSQL without a key file. */
export const STORED_KEY = "secret-key";

/**
 * Loads the key of this installation: from the file in the settings, or else from a file beside the
 * embedded database, or from PostgreSQL. The latter two are created on first use. If sealed values
 * exist, a missing key is an error.
 */
export async function loadKey(
  { secretKeyFile, databaseUrl, data }: Settings,
  store: Store,
  hasSealed: boolean,
): Promise<SecretKey> {
  if (secretKeyFile !== "") {
    const key = readKey(secretKeyFile);
    if (key === undefined) throw new ConfigError(`--secret-key-file ${secretKeyFile} is missing`);
    return { key, from: secretKeyFile, isStored: false };
  }
  if (databaseUrl !== "") {
    return { key: await storedKey(store, hasSealed), from: IN_DATABASE, isStored: true };
  }
  const path = join(data, SECRET_KEY);
  const existing = readKey(path);
  if (existing === undefined && hasSealed) {
    throw new ConfigError(
      `${path} is missing: stored keys and secrets cannot be read without it. ${RECOVERY_HINT}`,
    );
  }
  return { key: existing ?? createKeyFile(path), from: path, isStored: false };
}

const IN_DATABASE = "the key in the database";

/** Reads the key of an installation without creating one. */
export async function readSecretKey(
  { secretKeyFile, databaseUrl, data }: Pick<Settings, "secretKeyFile" | "databaseUrl" | "data">,
  reader: Reader,
): Promise<SecretKey> {
  if (secretKeyFile === "" && databaseUrl !== "") {
    const stored = await readInstallation(reader, STORED_KEY);
    if (stored === undefined)
      throw new ConfigError(
        "the secret key is not in the database: name its file with --secret-key-file",
      );
    return { key: Buffer.from(stored, "base64url"), from: IN_DATABASE, isStored: true };
  }
  const from = secretKeyFile || join(data, SECRET_KEY);
  const key = readKey(from);
  if (key === undefined) throw new ConfigError(`${from} is missing. ${RECOVERY_HINT}`);
  return { key, from, isStored: false };
}

/** Remedy for a missing or wrong key. */
export const RECOVERY_HINT =
  "Restore it from its backup, or set --secret-key-file; if it is lost, see docs/after-a-leak.md";

async function storedKey(store: Store, hasSealed: boolean): Promise<Buffer> {
  const existing = await readInstallation(store.reader, STORED_KEY);
  if (existing === undefined && hasSealed) {
    throw new ConfigError(
      `the key of stored keys and secrets is not in the database. ${RECOVERY_HINT}`,
    );
  }
  if (existing !== undefined) return Buffer.from(existing, "base64url");
  const created = randomBytes(KEY_BYTES).toString("base64url");
  const settled = await store.write((tx) => initInstallation(tx, STORED_KEY, created));
  return Buffer.from(settled, "base64url");
}

/** Deletes the key in the database, when nothing is sealed with it any more. */
export async function dropStoredKey(tx: Transaction): Promise<void> {
  await deleteInstallation(tx, STORED_KEY);
}

/** Reads a key file, raw or base64; undefined if it does not exist. */
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
  throw new ConfigError(`${path} must contain ${KEY_BYTES} random bytes, raw or as base64`);
}

/** Creates a key file atomically. If another process creates it concurrently, the first one wins. */
function createKeyFile(path: string): Buffer {
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
