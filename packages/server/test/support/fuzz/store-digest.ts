/** Digests of all that is stored, to tell whether anything has changed. */
import { createHash } from "node:crypto";
import { exposureIsSettled } from "../exposure/settled.ts";
import { rawResults, rawRows } from "../server/direct-store.ts";
import type { TestServer } from "../server/test-server.ts";

/**
 * Tables that requests without a token may write: the audit log of what was denied, and logins that
 * have begun.
 */
const NOTED = /audit|ticket|denial|refusal|attempt/;

/** Tables that the server writes without a request: checks of its health, the batches that they are in, its leases. */
const OWN = /^(store_probes|commit_markers|leases)$/;

/** Tables whose rows expire by themselves. */
const EXPIRING = /_deletions$|_notices$|^events$|^sessions$|_changes$/;

/** Columns that say whose a row is. */
const OWNERS = ["uid", "root", "parent", "repo", "provider", "group_uid", "path"] as const;

type Row = Readonly<Record<string, unknown>>;

/** The digests of the rows of each table, by its name. */
export type StoreDigest = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The digests of all rows, or of those of an organization; without some tables. First the server does the work that follows
 * from what was written before: it would change rows between two digests.
 *
 * @example const before = await storeDigest(server);
 */
export async function storeDigest(
  server: TestServer,
  organization = "",
  isLeftOut: RegExp = NOTED,
): Promise<StoreDigest> {
  await exposureIsSettled(server);
  const isSqlite = server.storeFlags[0] === "--data";
  const names = await rawRows<{ name: string }>(
    server,
    isSqlite
      ? "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name",
  );
  const tables = names
    .map(({ name }) => name)
    .filter((name) => !(isLeftOut.test(name) || OWN.test(name) || name.startsWith("sqlite_")));
  // At once: SQLite reads the whole schema each time that a file is opened.
  const results = await rawResults<Row>(
    server,
    tables.map((name) => `SELECT * FROM ${name}`),
  );
  return new Map(
    tables.map((name, at) => {
      const rows = results[at] ?? [];
      const own = rows.filter((row) => organization === "" || isOf(row, organization));
      return [name, new Set(own.map(digestOf))];
    }),
  );
}

/**
 * The rows that were written or removed since, by table; rows that have expired do not count.
 *
 * @example assert.deepEqual(changesSince(before, await storeDigest(server)), []);
 */
export function changesSince(before: StoreDigest, after: StoreDigest): string[] {
  return [...after].flatMap(([name, rows]) => {
    const known = before.get(name) ?? new Set();
    const added = rows.difference(known).size;
    const removed = EXPIRING.test(name) ? 0 : known.difference(rows).size;
    return added + removed === 0 ? [] : [`${name}: ${added} rows written, ${removed} removed`];
  });
}

/** Whether a row belongs to an organization. */
function isOf(row: Row, organization: string): boolean {
  return OWNERS.some((column) => String(row[column] ?? "").startsWith(organization));
}

function digestOf(row: Row): string {
  const text = JSON.stringify(row, (_, value) => plain(value));
  return createHash("sha256").update(text).digest("base64");
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
