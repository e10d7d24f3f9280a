/**
 * `node bench/fill-exposure.ts DIR COUNT`: creates a database with COUNT images in repos of one organization, and their
 * packages: 30 million rows for 100,000 images. Resources and package versions are written by the functions of their tables,
 * the rest by statements of its own; commits do not wait for the disk.
 */
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { GroupSchema, OrgStatus, RepoSchema, TagSchema } from "@wharf/contract";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import type { Writer } from "@wharf/server/store/db/connection.ts";
import { openSqlite } from "@wharf/server/store/db/sqlite.ts";
import { Store } from "@wharf/server/store/db/store.ts";
import type { ResourceRow } from "@wharf/server/store/resources/rows.ts";
import {
  addVersions,
  keyOf,
  type PackageVersion,
} from "@wharf/server/store/tables/exposure/packages/package-versions.ts";
import {
  digestOf,
  IMAGES_PER_REPO,
  PACKAGE_SHARE,
  PACKAGES,
  packageName,
  repoUid,
  TAGGED_SHARE,
  TEAMS,
  teamUid,
  VERSIONS,
  versionText,
  WIDESPREAD,
  WIDESPREAD_SHARE,
} from "./exposure-data.ts";
import { ORGANIZATION, teamNamed } from "./organization.ts";

/** Rows per transaction of the tables' functions. */
const BATCH_SIZE = 5_000;

const FIRST_MS = Date.UTC(2026, 0, 1);

const { groups, repos, tags } = RESOURCES;

const TIMES = { createTime: timestampFromMs(FIRST_MS), updateTime: timestampFromMs(FIRST_MS) };

function groupRow(uid: string, word: string): ResourceRow {
  const group = { uid, ...teamNamed(word), status: OrgStatus.READY, ...TIMES };
  return groups.toRow(create(GroupSchema, group));
}

function repoRow(at: number): ResourceRow {
  return repos.toRow(create(RepoSchema, { uid: repoUid(at), name: `app-${at}`, ...TIMES }));
}

function tagRow(image: number): ResourceRow {
  const repo = repoUid(Math.floor(image / IMAGES_PER_REPO));
  const uid = `${repo}/${(image + 1).toString(16).padStart(16, "0")}`;
  const tag = { uid, name: `build-${image}`, digest: digestOf(image), ...TIMES };
  return tags.toRow(create(TagSchema, tag));
}

async function insertAll(store: Store, table: typeof groups.table, rows: readonly ResourceRow[]) {
  for (let at = 0; at < rows.length; at += BATCH_SIZE) {
    await store.write((tx) => table.insertAll(tx, rows.slice(at, at + BATCH_SIZE)));
  }
}

function numbered<T>(count: number, of: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => of(at));
}

async function insertResources(store: Store, images: number): Promise<void> {
  const teams = numbered(TEAMS, (at) => groupRow(teamUid(at), `team-${at}`));
  await insertAll(store, groups.table, [groupRow(ORGANIZATION, "organization"), ...teams]);
  await insertAll(store, repos.table, numbered(Math.ceil(images / IMAGES_PER_REPO), repoRow));
  const tagged = numbered(Math.ceil(images / TAGGED_SHARE), (at) => tagRow(at * TAGGED_SHARE));
  await insertAll(store, tags.table, tagged);
}

/** The package versions, in the order of their ids. */
async function insertVersions(store: Store): Promise<void> {
  const names = [...numbered(PACKAGES, packageName), WIDESPREAD];
  const versions = names.flatMap((name) => numbered(VERSIONS, (at) => versionOf(name, at)));
  await store.write((tx) => addVersions(tx, new Map(versions.map((one) => [keyOf(one), one]))));
}

function versionOf(name: string, at: number): PackageVersion {
  const version = versionText(at);
  return {
    ...{ purl: `pkg:apk/wolfi/${name}@${version}?arch=x86_64`, ecosystem: "Wolfi", release: "" },
    ...{ name, version, origin: "", originVersion: "", license: "Apache-2.0", detail: "{}" },
  };
}

/** Image N has the id N + 1. */
async function insertImages(writer: Writer, images: number): Promise<void> {
  const now = Date.now();
  await writer.run("CREATE TEMPORARY TABLE repo_uids (repo INTEGER PRIMARY KEY, uid TEXT)");
  await writer.run(
    "INSERT INTO repo_uids SELECT key, value FROM json_each(?)",
    JSON.stringify(numbered(Math.ceil(images / IMAGES_PER_REPO), repoUid)),
  );
  const from = `FROM numbers JOIN repo_uids ON repo = n / ${IMAGES_PER_REPO} WHERE n < ${images}`;
  const digest = "'sha256:' || printf('%064x', n)";
  await writer.run(
    `INSERT INTO exposure_images SELECT n + 1, uid, ${digest}, 'linux/amd64', 2, '', 2, '', '{}', 300, 0, 1,
       CASE WHEN n % ${TAGGED_SHARE} = 0 THEN ${now} ELSE ${FIRST_MS} END, n % ${TAGGED_SHARE} = 0, ${FIRST_MS}, 0 ${from}`,
  );
  await writer.run(
    `INSERT INTO manifests (repo, digest, media_type, kind, architecture, size, children, subject, config_digest,
       pushed, pulled) SELECT uid, ${digest}, 'application/vnd.oci.image.manifest.v1+json', 'image', 'amd64', 1,
       '[]', '', '', ${FIRST_MS}, 0 ${from}`,
  );
}

/** In the order of the primary key. */
async function insertPackages(writer: Writer, images: number): Promise<void> {
  const insert = async (version: string, image: string, count: number) => {
    await writer.run(
      `INSERT INTO image_packages SELECT id, ${image} + 1, 0, '' FROM numbers, (${version})
       WHERE n < ${count} ORDER BY id, n`,
    );
  };
  const versionAt = (name: string, at: number) =>
    `SELECT id FROM package_versions WHERE name = '${name}' AND version = '${versionText(at)}'`;
  const all = numbered(PACKAGES * VERSIONS, (at) => ({
    at,
    package: Math.floor(at / VERSIONS),
    version: at % VERSIONS,
  }));
  const blocks = images / PACKAGE_SHARE;
  for (const { package: number, version } of all) {
    const block = `(n * ${VERSIONS} + ${version})`;
    const image = `${block} * ${PACKAGE_SHARE} + (${number} * 31 + ${block} * 17 + ${block} * ${number} % 7) % ${PACKAGE_SHARE}`;
    await insert(versionAt(packageName(number), version), image, blocks / VERSIONS);
  }
  for (let version = 0; version < VERSIONS; version++) {
    const image = `(n * ${VERSIONS} + ${version}) * ${WIDESPREAD_SHARE}`;
    await insert(versionAt(WIDESPREAD, version), image, images / WIDESPREAD_SHARE / VERSIONS);
  }
}

async function fill(folder: string, images: number): Promise<void> {
  const driver = openSqlite(join(folder, "wharf.db"));
  const tables = Object.values(RESOURCES).map((resource) => resource.table);
  const store = await Store.open(driver, tables, { committed() {} });
  const { writer } = driver;
  for (const pragma of ["synchronous = OFF", "cache_size = -1000000", "temp_store = MEMORY"]) {
    await writer.run(`PRAGMA ${pragma}`);
  }
  await insertResources(store, images);
  await insertVersions(store);
  await writer.run("CREATE TEMPORARY TABLE numbers (n INTEGER PRIMARY KEY)");
  await writer.run(
    `INSERT INTO numbers WITH RECURSIVE up (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM up WHERE n < ?)
     SELECT n FROM up`,
    images,
  );
  await driver.begin();
  await insertImages(writer, images);
  await writer.run("DROP INDEX image_packages_by_image");
  await insertPackages(writer, images);
  await writer.run("CREATE INDEX image_packages_by_image ON image_packages (image, version)");
  // All images are read.
  await writer.run("DELETE FROM exposure_work");
  await driver.commit();
  await writer.get("PRAGMA wal_checkpoint(TRUNCATE)");
  await store.close();
}

const [folder, count] = process.argv.slice(2);
if (folder === undefined || Number(count) % 100 !== 0) {
  console.error("usage: node bench/fill-exposure.ts DIR COUNT, hundreds of images");
  process.exit(2);
}
await fill(folder, Number(count));
