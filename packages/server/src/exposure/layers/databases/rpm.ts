import { DatabaseSync } from "node:sqlite";
import { FileProblem } from "../failure.ts";
import {
  type DistributionPackage,
  type IsOwnedFile,
  isField,
  licensesOf,
} from "./distribution-package.ts";
import { RpmHeader, TAGS } from "./rpm-header.ts";

/** Keys of repositories, which rpm lists as packages. */
const KEY = "gpg-pubkey";

const MAGIC = "SQLite format 3\0";

/** Versions of the file format for writing and reading: 2 is a write-ahead log, which memory cannot have. */
const FORMAT_VERSIONS = 18;

/** The packages of `rpmdb.sqlite`, which is read in memory. */
export function* rpmPackages(bytes: Buffer, isOwned: IsOwnedFile): Generator<DistributionPackage> {
  const database = openInMemory(bytes);
  try {
    for (const { blob } of rowsOf(database)) {
      if (!(blob instanceof Uint8Array)) continue;
      const view = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
      const found = packageOf(new RpmHeader(view), isOwned);
      if (found !== undefined) yield found;
    }
  } finally {
    database.close();
  }
}

function openInMemory(bytes: Buffer): DatabaseSync {
  if (bytes.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw new FileProblem("malformed", "it is no SQLite database");
  }
  bytes.fill(1, FORMAT_VERSIONS, FORMAT_VERSIONS + 2);
  const database = new DatabaseSync(":memory:", { defensive: true, allowExtension: false });
  try {
    database.deserialize(bytes);
    // Views and generated columns of an image's database run nothing.
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    database.limits.attach = 0;
    return database;
  } catch (error) {
    database.close();
    throw new FileProblem("malformed", (error as Error).message);
  }
}

function* rowsOf(database: DatabaseSync): Generator<Record<string, unknown>> {
  try {
    const tables = database.prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'Packages'",
    );
    if (tables.get() === undefined) throw new Error("it has no table Packages");
    yield* database.prepare("SELECT blob FROM Packages ORDER BY hnum").iterate();
  } catch (error) {
    throw error instanceof FileProblem
      ? error
      : new FileProblem("malformed", (error as Error).message);
  }
}

function packageOf(header: RpmHeader, isOwned: IsOwnedFile): DistributionPackage | undefined {
  const name = header.text(TAGS.name);
  const version = `${header.text(TAGS.version)}-${header.text(TAGS.release)}`;
  if (!isField(name) || !isField(version) || name === KEY) return undefined;
  const epoch = header.number(TAGS.epoch);
  const sourceRpm = header.text(TAGS.sourceRpm);
  const upstream = isField(sourceRpm) ? sourceRpm : "";
  return {
    database: "rpm",
    name,
    version: epoch === undefined ? version : `${epoch}:${version}`,
    architecture: header.text(TAGS.architecture),
    origin: originOf(upstream),
    licenses: licensesOf([header.text(TAGS.license)]),
    qualifiers: {
      upstream,
      rpmmod: header.text(TAGS.modularityLabel),
      vendor: header.text(TAGS.vendor),
    },
    files: filesOf(header, isOwned),
  };
}

const SOURCE_RPM = /^(.+)-([^-]+-[^-]+)\.(?:no)?src\.rpm$/;

function originOf(sourceRpm: string) {
  const [, name, version] = SOURCE_RPM.exec(sourceRpm) ?? [];
  return name === undefined || version === undefined ? undefined : { name, version };
}

/** The files of a package: their names, and for each the position of its folder. */
function filesOf(header: RpmHeader, isOwned: IsOwnedFile): string[] {
  const folders = [...header.texts(TAGS.folders)];
  const files: string[] = [];
  let index = 0;
  for (const name of header.texts(TAGS.fileNames)) {
    const folder = folders[header.number(TAGS.folderOfFile, index++) ?? -1] ?? "/";
    const path = `${folder}${name}`.replace(/^\/+/, "");
    if (isOwned(path)) files.push(path);
  }
  return files;
}
