import type { Reader } from "../db/connection.ts";
import { countKind } from "../resources/counts.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import { checkContentCounts } from "./content-counts.ts";
import { checkDescendants } from "./descendants.ts";
import { type CheckProgress, MAX_PROBLEMS, type StoreProblem } from "./problem.ts";

/** Checks what every write of ours keeps true: counts, parents, search terms, content, sealed keys. */
export async function checkInvariants(
  reader: Reader,
  tables: readonly ResourceTable[],
  progress: CheckProgress,
): Promise<StoreProblem[]> {
  const parents = tables.filter(({ shape }) => shape.hasChildren).map(({ shape }) => shape.name);
  const problems: StoreProblem[] = [];
  for (const [at, table] of tables.entries()) {
    const { name } = table.shape;
    progress(`checking rows of ${name}`, at, tables.length);
    problems.push(
      ...(await countsOf(reader, table)),
      ...(await orphansOf(reader, name, parents)),
      ...(table.terms === undefined ? [] : await termsOf(reader, name)),
    );
  }
  progress("checking counts and keys", tables.length, tables.length);
  problems.push(...(await checkDescendants(reader)), ...(await checkContentCounts(reader)));
  for (const [table, owner] of KEYS) problems.push(...(await unsealedKeys(reader, table, owner)));
  return problems;
}

/** Tables of keys, and the owner of their sealed private keys. */
const KEYS = [
  ["signing_keys", "signing-keys"],
  ["registry_keys", "registry-keys"],
] as const;

/** Children by parent, as counted with every write, and as they are. */
async function countsOf(reader: Reader, { shape }: ResourceTable): Promise<StoreProblem[]> {
  const { name, partitions = [undefined] } = shape;
  const problems: StoreProblem[] = [];
  for (const partition of partitions) {
    const where = partition === undefined ? "" : `WHERE part = ${partition}`;
    const rows = await reader.all<{ uid: string; counted: number; existing: number }>(
      `SELECT coalesce(c.uid, r.parent) AS uid, coalesce(c.children, 0) AS counted,
         coalesce(r.existing, 0) AS existing
       FROM (SELECT uid, children FROM counts WHERE kind = ?) c
       FULL JOIN (SELECT parent, count(*) AS existing FROM ${name} ${where} GROUP BY parent) r
         ON r.parent = c.uid
       WHERE coalesce(c.children, 0) <> coalesce(r.existing, 0) LIMIT ${MAX_PROBLEMS}`,
      countKind(name, partition),
    );
    for (const { uid, counted, existing } of rows) {
      const problem = `${existing} ${countKind(name, partition)} in ${uid || "the root"}, but ${counted} counted`;
      problems.push({ kind: "data", name: "counts", problem });
    }
  }
  return problems;
}

async function orphansOf(
  reader: Reader,
  name: string,
  parents: readonly string[],
): Promise<StoreProblem[]> {
  const missing = parents.map(
    (parent) => `AND NOT EXISTS (SELECT 1 FROM ${parent} p WHERE p.uid = child.parent)`,
  );
  const rows = await reader.all<{ uid: string }>(
    `SELECT uid FROM ${name} child WHERE parent <> '' ${missing.join(" ")} LIMIT ${MAX_PROBLEMS}`,
  );
  return rows.map(({ uid }) => ({
    kind: "data",
    name,
    problem: `the parent of ${uid} does not exist`,
  }));
}

async function termsOf(reader: Reader, name: string): Promise<StoreProblem[]> {
  const terms = `${name}_terms`;
  const row = await reader.get<{ orphans: number }>(
    `SELECT count(*) AS orphans FROM ${terms}
     WHERE NOT EXISTS (SELECT 1 FROM ${name} WHERE ${name}.id = ${terms}.row_id)`,
  );
  const orphans = row?.orphans ?? 0;
  if (orphans === 0) return [];
  return [
    { kind: "data", name: terms, problem: `${orphans} search terms of rows that do not exist` },
  ];
}

async function unsealedKeys(reader: Reader, table: string, owner: string): Promise<StoreProblem[]> {
  const rows = await reader.all<{ kid: string }>(
    `SELECT kid FROM ${table} WHERE NOT EXISTS
       (SELECT 1 FROM secrets WHERE owner = ? AND name = ${table}.kid)`,
    owner,
  );
  return rows.map(({ kid }) => ({
    kind: "data",
    name: table,
    problem: `the private key of ${kid} does not exist`,
  }));
}
