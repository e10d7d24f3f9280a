/** Stores that earlier versions have written, in test/fixtures/stores: `npm run fixture` adds one. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { emptyDatabase } from "./postgres.ts";
import { scratchFolder } from "./scratch-folder.ts";
import type { StoreKind } from "./test-server.ts";

export const FIXTURES = join(import.meta.dirname, "../../fixtures/stores");

/** Stands for the address of the server in what it has answered. */
export const FIXTURE_URL = "http://wharf.test";

/** The content of a fixture, as the version that wrote it has answered. */
export interface StoreFixture {
  /** The key that its secrets are sealed with, in base64. */
  readonly secretKey: string;
  readonly account: { readonly username: string; readonly password: string };
  /** An identity with a role binding. */
  readonly identity: string;
  /** The ids of the keys that sign tokens. */
  readonly signingKeys: readonly string[];
  readonly resources: readonly { readonly path: string; readonly body: object }[];
}

/** The versions with a fixture. */
export function fixtureVersions(): string[] {
  return readdirSync(FIXTURES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

/** A copy of the store of a version, with the flags to open it. */
export async function restoreFixture(version: string, store: StoreKind) {
  const read = (end: string) => readFileSync(join(FIXTURES, version, `${store}.${end}`));
  const fixture = JSON.parse(read("json").toString()) as StoreFixture;
  const content = gunzipSync(read("gz"));
  const data = scratchFolder("wharf-fixture-");
  const keyFile = join(data, "secret.key");
  writeFileSync(keyFile, Buffer.from(fixture.secretKey, "base64"), { mode: 0o600 });
  const where =
    store === "sqlite" ? ["--data", restoreSqlite(data, content)] : await restorePostgres(content);
  return { fixture, storeFlags: [...where, "--secret-key-file", keyFile] };
}

function restoreSqlite(data: string, content: Buffer): string {
  writeFileSync(join(data, "wharf.db"), content, { mode: 0o600 });
  return data;
}

async function restorePostgres(content: Buffer): Promise<string[]> {
  const url = await emptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(content.toString()).finally(() => client.end());
  return ["--database-url", url];
}
