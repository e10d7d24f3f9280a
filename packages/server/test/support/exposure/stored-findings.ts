/** Findings that tests store, in place of those that advisories lead to. */
import type { FindingDetail } from "../../../src/exposure/assessment/finding.ts";
import type { Transaction } from "../../../src/store/db/commit/transaction.ts";
import { putFindings } from "../../../src/store/tables/exposure/findings/findings.ts";
import { DirectStore, rawRows } from "../server/direct-store.ts";
import type { World } from "../world/world.ts";

export interface TestFinding {
  readonly image: number;
  readonly vulnerability: string;
  /** A part of the package URL; the first package of the image by default. */
  readonly purl?: string;
  readonly status?: number;
  readonly severity?: number;
  readonly firstSeen?: number;
  readonly resolved?: number;
  readonly detail?: Partial<FindingDetail>;
  /** When the record that it is based on was changed; stores such a record. */
  readonly recordTime?: number;
}

/** @example await storeFindings(world, { image: image.id, vulnerability: "CVE-2026-1", severity: 5 }); */
export async function storeFindings(
  world: World,
  ...findings: readonly TestFinding[]
): Promise<void> {
  const rows = await Promise.all(findings.map((one) => rowOf(world, one)));
  await writeDirectly(world, async (tx) => {
    for (const [at, { recordTime }] of findings.entries()) {
      const row = rows[at];
      if (recordTime === undefined || row === undefined) continue;
      const records = [[await storeRecord(tx, row.image, recordTime), "RECORD-1"]];
      rows[at] = { ...row, detail: JSON.stringify({ ...JSON.parse(row.detail), records }) };
    }
    await putFindings(tx, rows);
  });
}

/** Stores a record in the organization of an image. Returns its id. */
async function storeRecord(tx: Transaction, image: number, updated: number): Promise<number> {
  const row = await tx.get<{ id: number }>(
    `INSERT INTO vulnerability_records (advisory, group_uid, ecosystem, package, release, affected, status, severity,
       score, updated, detail)
     SELECT 'none', substr(repo, 1, 40), 'npm', 'none', 'npm', '[]', 0, 0, '', ?, '{"id":"RECORD-1"}'
     FROM exposure_images WHERE id = ? RETURNING id`,
    updated,
    image,
  );
  return Number(row?.id);
}

/** Writes to the store of a server. */
export async function writeDirectly(
  world: World,
  write: Parameters<DirectStore["store"]["write"]>[0],
): Promise<void> {
  const direct = await DirectStore.open(world.server);
  try {
    await direct.store.write(write);
  } finally {
    await direct.close();
  }
}

async function rowOf(world: World, given: TestFinding) {
  const { image, vulnerability, purl = "pkg:", status = 1, severity = 4 } = given;
  const [version] = await rawRows<{ id: number }>(
    world.server,
    `SELECT v.id FROM image_packages p JOIN package_versions v ON v.id = p.version
     WHERE p.image = ${image} AND v.purl LIKE '%${purl}%' ORDER BY v.id LIMIT 1`,
  );
  const detail: FindingDetail = { records: [], by: 1, introduced: "0", ...given.detail };
  return {
    ...{ image, vulnerability, status, severity, version: Number(version?.id) },
    fixable: detail.fixed !== undefined,
    ...{ firstSeen: given.firstSeen ?? 1, resolved: given.resolved ?? 0 },
    detail: JSON.stringify(detail),
  };
}
