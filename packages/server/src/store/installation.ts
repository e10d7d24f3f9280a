import { randomBytes } from "node:crypto";
import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";
import type { Store } from "./store.ts";

/**
 * Single values that belong to the installation as a whole and are shared by all replicas.
 */

/** @example const addresses = await readInstallation(store.reader, "addresses"); */
export async function readInstallation(reader: Reader, name: string): Promise<string | undefined> {
  const row = await reader.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = ?",
    name,
  );
  return row?.value;
}

/** @example await writeInstallation(store, "addresses", text); */
export async function writeInstallation(store: Store, name: string, value: string): Promise<void> {
  if ((await readInstallation(store.reader, name)) === value) return;
  await store.write((tx) =>
    tx.run(
      `INSERT INTO installation (name, value) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      name,
      value,
    ),
  );
}

/**
 * A secret of the installation, made on first use.
 *
 * @example const key = await installationSecret(store, "page-tokens");
 */
export async function installationSecret(store: Store, name: string): Promise<Buffer> {
  const known = await readInstallation(store.reader, name);
  if (known !== undefined) return Buffer.from(known, "base64url");
  return store.write(async (tx) => {
    const fresh = randomBytes(32).toString("base64url");
    return Buffer.from(await settleInstallation(tx, name, fresh), "base64url");
  });
}

/**
 * Sets a value unless it has one; returns the one that it has then.
 *
 * @example if ((await settleInstallation(tx, "secret-key-check", mine)) !== mine) throw …
 */
export async function settleInstallation(
  tx: Transaction,
  name: string,
  value: string,
): Promise<string> {
  const sql = "INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING";
  await tx.run(sql, name, value);
  return (await readInstallation(tx, name)) ?? value;
}
