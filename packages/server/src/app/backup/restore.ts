import { rmSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../config/settings.ts";
import type { Unlock } from "../../lib/age/age.ts";
import { readKey } from "../../secrets/key.ts";
import { SECRET_KEY } from "../../store/db/open.ts";
import { DIALECT } from "../../store/db/sqlite/dialect.ts";
import { createDirectory } from "../../store/db/sqlite/directory.ts";
import type { ArchiveHeader } from "./archive.ts";
import { readBackup } from "./back-up.ts";
import { type CopyProgress, fillTarget } from "./fill-target.ts";
import { writeKey } from "./private-file.ts";
import { type StoreLocation, schemaFor } from "./store-source.ts";
import { buildStore } from "./store-target.ts";

export interface RestoreOptions {
  readonly file: string;
  readonly unlock: Unlock;
  readonly progress?: CopyProgress;
}

export interface Restored {
  readonly rows: number;
  readonly version: string;
  readonly time: string;
  /** The blobs that the folder of the registry must have: backups do not contain them. */
  readonly blobs: number;
  /** The file of the secret key; empty if it is in the database. */
  readonly secretKey: string;
}

/** Builds the store of a backup where there is none, and compares every row. */
export function restore(location: StoreLocation, options: RestoreOptions): Promise<Restored> {
  const { file, unlock, progress = () => {} } = options;
  return readBackup(file, unlock, async (archive) => {
    const { header } = archive;
    mustBeKnown(header);
    const key = keyLocation(location, header);
    const secretKey = Buffer.from(header.secretKey, "base64");
    let blobs = 0;
    const rows = async function* () {
      for await (const batch of archive.rows()) {
        if (batch.table.name === "blobs") blobs += batch.rows.length;
        yield batch;
      }
    };
    await keepingKey(key, secretKey, (write) =>
      buildStore(
        location,
        (target) =>
          fillTarget(target, header, rows(), {
            progress,
            secretKey,
            storesKey: key.path === "",
          }),
        write,
      ),
    );
    const { version, time } = header;
    return { rows: header.rows, version, time, blobs, secretKey: key.path };
  });
}

function mustBeKnown({ step, version }: ArchiveHeader): void {
  if (step <= schemaFor(DIALECT).last) return;
  throw new ConfigError(`it was written by wharf ${version}: restore it with that version`);
}

interface KeyLocation {
  /** Empty: the database. */
  readonly path: string;
  readonly directory: string | undefined;
}

function keyLocation({ data, databaseUrl, secretKeyFile }: StoreLocation, header: ArchiveHeader) {
  if (secretKeyFile !== "") return { path: secretKeyFile, directory: undefined };
  if (databaseUrl === "") return { path: join(data, SECRET_KEY), directory: data };
  if (header.keyIsStored) return { path: "", directory: undefined };
  throw new ConfigError(
    "name the file for the secret key with --secret-key-file: it is written there, and servers need it",
  );
}

/** Writes the key when the store is complete. A key that is there must be the same. */
async function keepingKey(
  { path, directory }: KeyLocation,
  key: Buffer,
  build: (write: () => void) => Promise<void>,
): Promise<void> {
  const existing = path === "" ? key : readKey(path);
  if (existing !== undefined && !existing.equals(key))
    throw new ConfigError(`${path} is another secret key than that of the backup: move it away`);
  let wrote = false;
  try {
    await build(() => {
      if (existing !== undefined) return;
      if (directory !== undefined) createDirectory(directory);
      writeKey(path, key);
      wrote = true;
    });
  } catch (error) {
    if (wrote) rmSync(path, { force: true });
    throw error;
  }
}
