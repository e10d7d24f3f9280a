/** A digest of everything that is stored, to tell whether anything has changed. */
import { createHash } from "node:crypto";
import { rawRows } from "../raw-rows.ts";
import type { TestServer } from "../server.ts";

/**
 * Tables that requests without a token may write: the audit log of what was denied, and logins that
 * have begun.
 */
const NOTED = /audit|ticket|denial|refusal|attempt/;

/** Columns that say whose a row is. */
const OWNERS = ["uid", "root", "parent", "repo", "provider", "group_uid", "path"] as const;

type Row = Readonly<Record<string, unknown>>;

/** Whether a row belongs to an organization. */
function isOf(row: Row, organization: string): boolean {
  if (organization === "") return true;
  return OWNERS.some((column) => String(row[column] ?? "").startsWith(organization));
}

/**
 * The digest of each table's rows, by the table's name: of all of them, or of those of an organization.
 *
 * @example assert.deepEqual(await storeDigest(server), before);
 */
export async function storeDigest(
  server: TestServer,
  organization = "",
): Promise<Record<string, string>> {
  const isSqlite = server.storeFlags[0] === "--data";
  const names = await rawRows<{ name: string }>(
    server,
    isSqlite
      ? "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name",
  );
  const digests: Record<string, string> = {};
  for (const { name } of names) {
    if (NOTED.test(name) || name.startsWith("sqlite_")) continue;
    const all = await rawRows<Row>(server, `SELECT * FROM ${name}`);
    const rows = all.filter((row) => isOf(row, organization));
    const texts = rows.map((row) => JSON.stringify(row, (_, value) => plain(value))).sort();
    const hash = createHash("sha256").update(texts.join("\n")).digest("hex");
    digests[name] = `${rows.length} rows, ${hash.slice(0, 16)}`;
  }
  return digests;
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
