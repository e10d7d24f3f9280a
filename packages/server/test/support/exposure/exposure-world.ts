/** Images with packages, as the inventory stores them, and the end of the work that the server does for them. */
import { randomBytes } from "node:crypto";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { AdvisoryDocumentSchema } from "@wharf/contract";
import { assessImages } from "../../../src/exposure/assessment/assess-images.ts";
import type { FindingDetail } from "../../../src/exposure/assessment/finding.ts";
import type { StoredStatement } from "../../../src/exposure/assessment/statements-of-images.ts";
import { matchVersions } from "../../../src/exposure/matching/match-versions.ts";
import { installedPackage } from "../../../src/exposure/purl.ts";
import type { FollowerDeps } from "../../../src/exposure/records/advisory-follower.ts";
import type { Transaction } from "../../../src/store/db/commit/transaction.ts";
import type { Store } from "../../../src/store/db/store.ts";
import { DirectStore } from "../server/direct-store.ts";
import type { World } from "../world/world.ts";
import { followerOf, workIsDone } from "./settled.ts";

/** A package of an image; `owner` is the package URL of the one that contains it. */
export interface TestPackage {
  readonly purl: string;
  readonly owner?: string;
}

export interface TestImage {
  readonly repo: string;
  readonly digest?: string;
  readonly packages: readonly (string | TestPackage)[];
  /** The number of tags; 1 by default. */
  readonly tags?: number;
  readonly indexes?: readonly string[];
  readonly statements?: readonly StoredStatement[];
}

/** A finding as tests compare it. */
export interface TestFinding {
  readonly digest: string;
  readonly repo: string;
  readonly vulnerability: string;
  readonly purl: string;
  readonly status: number;
  readonly severity: number;
  readonly fixable: boolean;
  readonly firstSeen: number;
  readonly resolved: number;
  readonly detail: FindingDetail;
}

/** An assessment that is due later may request an event, which is due later as well. */
const LATER_ROUNDS = 2;

export class ExposureWorld {
  readonly store: Store;
  readonly #world: World;
  readonly #direct: DirectStore;
  readonly #deps: FollowerDeps;

  private constructor(world: World, direct: DirectStore, deps: FollowerDeps) {
    this.#world = world;
    this.#direct = direct;
    this.store = direct.store;
    this.#deps = deps;
  }

  static async open(world: World): Promise<ExposureWorld> {
    const direct = await DirectStore.open(world.server);
    return new ExposureWorld(world, direct, await followerOf(world.server, direct));
  }

  async close(): Promise<void> {
    await this.#direct.close();
  }

  /** Waits until the server has done all work that is due at a time, and follows no advisories. */
  drain(now = Date.now()): Promise<void> {
    return workIsDone(this.#deps, now);
  }

  /** The same with everything that is due later, and with what follows from that. */
  async drainAll(): Promise<void> {
    await this.drain();
    for (let round = 0; round < LATER_ROUNDS; round++) {
      await this.store.write((tx) =>
        tx.run("UPDATE exposure_work SET due = 0 WHERE key <> 'second'"),
      );
      await this.drain();
    }
  }

  /** Imports OSV records into a group. */
  async importOsv(group: string, ...records: readonly object[]): Promise<void> {
    const documents = records.map((record, at) => {
      const document = readDocument(Buffer.from(JSON.stringify(record)), { name: `record-${at}` });
      return toJson(AdvisoryDocumentSchema, document) as JsonObject;
    });
    const request = { parent: group, documents };
    const { results } = await this.#world.operator().advisoryImports.importAdvisories(request);
    const refusals = results.flatMap((result: { refusals: object[] }) => result.refusals);
    if (refusals.length > 0) throw new Error(JSON.stringify(refusals));
  }

  /** Stores an image, and assesses it. Returns its digest. */
  async image(image: TestImage): Promise<string> {
    const digest = image.digest ?? newDigest();
    await this.store.write(async (tx) => {
      const id = await storeImage(tx, image, digest);
      await assessImages(this.#deps, tx, [id]);
    });
    return digest;
  }

  /** Deletes an image with everything about it. */
  async deleteImage(digest: string): Promise<void> {
    await this.store.write(async (tx) => {
      const id = "(SELECT id FROM exposure_images WHERE digest = ?)";
      for (const table of ["image_packages", "image_statements", "findings", "finding_counts"]) {
        await tx.run(`DELETE FROM ${table} WHERE image IN ${id}`, digest);
      }
      await tx.run("DELETE FROM exposure_images WHERE digest = ?", digest);
    });
  }

  /** All findings of an image, by vulnerability and package. */
  async findings(digest: string): Promise<TestFinding[]> {
    const rows = await this.store.reader.all<TestFinding & { detail: string }>(
      `SELECT i.digest, i.repo, f.vulnerability, v.purl, f.status, f.severity, f.fixable,
         f.first_seen AS "firstSeen", f.resolved, f.detail
       FROM findings f JOIN exposure_images i ON i.id = f.image JOIN package_versions v ON v.id = f.version
       WHERE i.digest = ? ORDER BY f.vulnerability, v.purl`,
      digest,
    );
    return rows.map((row) => ({
      ...row,
      status: Number(row.status),
      severity: Number(row.severity),
      fixable: Number(row.fixable) === 1,
      firstSeen: Number(row.firstSeen),
      resolved: Number(row.resolved),
      detail: JSON.parse(row.detail as string) as FindingDetail,
    }));
  }

  /** Findings that are not resolved, in short. */
  async current(digest: string): Promise<string[]> {
    const found = (await this.findings(digest)).filter(({ resolved }) => resolved === 0);
    return found.map(({ vulnerability, purl, status }) => `${vulnerability} ${purl} ${status}`);
  }

  /** The counts of an image by severity, from the table and from the findings: they must be equal. */
  async counts(digest: string): Promise<{ stored: object[]; counted: object[] }> {
    const stored = await this.store.reader.all(
      `SELECT c.severity, c.open, c.fixable, c.suppressed FROM finding_counts c
       JOIN exposure_images i ON i.id = c.image
       WHERE i.digest = ? AND (c.open <> 0 OR c.fixable <> 0 OR c.suppressed <> 0) ORDER BY c.severity`,
      digest,
    );
    const counted = await this.store.reader.all(
      `SELECT f.severity, sum(CASE WHEN f.status IN (1, 4) THEN 1 ELSE 0 END) AS open,
         sum(CASE WHEN f.status IN (1, 4) THEN f.fixable ELSE 0 END) AS fixable,
         sum(CASE WHEN f.status IN (1, 4) THEN 0 ELSE 1 END) AS suppressed
       FROM findings f JOIN exposure_images i ON i.id = f.image
       WHERE i.digest = ? AND f.resolved = 0 GROUP BY f.severity ORDER BY f.severity`,
      digest,
    );
    const numbers = (rows: readonly object[]) =>
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, Number(v)])));
    return { stored: numbers(stored), counted: numbers(counted) };
  }
}

export function newDigest(): string {
  return `sha256:${randomBytes(32).toString("hex")}`;
}

async function storeImage(tx: Transaction, image: TestImage, digest: string): Promise<number> {
  const { repo, tags = 1, packages, statements = [], indexes = [] } = image;
  await tx.run(
    `INSERT INTO exposure_images (repo, digest, platform, state, reason, source, document, detail, packages,
       without_purl, indexed, pushed, tags, tagged, untagged)
     VALUES (?, ?, 'linux/amd64', 2, '', 3, '', '{"documents":[],"remarks":[]}', 0, 0, 1, ?, ?, 1, 0)
     ON CONFLICT (repo, digest) DO UPDATE SET tags = excluded.tags`,
    repo,
    digest,
    Date.now(),
    tags,
  );
  const found = await tx.get<{ id: number }>(
    "SELECT id FROM exposure_images WHERE repo = ? AND digest = ?",
    repo,
    digest,
  );
  const id = Number(found?.id);
  await tx.run("DELETE FROM image_packages WHERE image = ?", id);
  await tx.run("DELETE FROM image_statements WHERE image = ?", id);
  const added: number[] = [];
  const ids = new Map<string, number>();
  const all = packages.map((one) => (typeof one === "string" ? { purl: one } : one));
  for (const { purl } of all) ids.set(purl, await versionId(tx, purl, added));
  for (const { purl, owner } of all) {
    await tx.run(
      "INSERT INTO image_packages (version, image, owner, location) VALUES (?, ?, ?, '')",
      ids.get(purl) as number,
      id,
      owner === undefined ? 0 : (ids.get(owner) as number),
    );
  }
  for (const [position, statement] of statements.entries()) {
    const sql = "INSERT INTO image_statements (image, position, statement) VALUES (?, ?, ?)";
    await tx.run(sql, id, position, JSON.stringify(statement));
  }
  for (const index of indexes) {
    const sql = `INSERT INTO image_indexes (repo, image, index_digest) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;
    await tx.run(sql, repo, digest, index);
  }
  await matchVersions(tx, added);
  return id;
}

/** The id of a package version, which is added to `added` if it is new. */
async function versionId(tx: Transaction, purl: string, added: number[]): Promise<number> {
  const find = async () => {
    const row = await tx.get<{ id: number }>("SELECT id FROM package_versions WHERE key = ?", purl);
    return row && Number(row.id);
  };
  const stored = await find();
  if (stored !== undefined) return stored;
  const one = installedPackage(purl);
  if (one === undefined) throw new Error(`${purl} is not a package URL`);
  await tx.run(
    `INSERT INTO package_versions (key, purl, ecosystem, release, name, version, origin, origin_version, license, detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '{}')`,
    ...[purl, purl, one.ecosystem ?? "", one.release ?? "", one.name, one.version],
    ...[one.origin?.name ?? "", one.origin?.version ?? ""],
  );
  const id = (await find()) as number;
  added.push(id);
  return id;
}
