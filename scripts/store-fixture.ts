/**
 * `npm run fixture`: writes the store of this version, filled through the API, for SQLite and PostgreSQL.
 * The tests of all later versions open it. `node scripts/store-fixture.ts VERSION DIRECTORY` writes the
 * store of the built checkout in another directory.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import manifest from "../package.json" with { type: "json" };
import { emptyDatabase } from "../packages/server/test/support/server/postgres.ts";
import { scratchFolder } from "../packages/server/test/support/server/scratch-folder.ts";
import {
  FIXTURES,
  type StoreFixture,
} from "../packages/server/test/support/server/store-fixture.ts";
import { STORES, type StoreKind } from "../packages/server/test/support/server/test-server.ts";
import { ROOT } from "./step.ts";
import { dumpPostgres, dumpSqlite } from "./store-fixture/dump.ts";
import { fill } from "./store-fixture/fill.ts";
import { Program } from "./store-fixture/program.ts";

const [version = manifest.version, directory = ROOT] = process.argv.slice(2);
const folder = join(FIXTURES, version);
if (existsSync(folder)) {
  console.error(`${folder} exists: fixtures of released versions are never written again`);
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
try {
  for (const store of STORES) await write(store);
} catch (error) {
  rmSync(folder, { recursive: true });
  throw error;
}

/** Fills a new store with the program in the directory, and keeps its content. */
async function write(store: StoreKind): Promise<void> {
  const data = scratchFolder("wharf-fixture-");
  const keyFile = join(data, "secret.key");
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  const url = store === "postgres" ? await emptyDatabase() : "";
  const where = url === "" ? ["--data", data] : ["--database-url", url];
  const flags = [...where, "--secret-key-file", keyFile];
  const program = await Program.start(resolve(directory), flags);
  const filled = await fill(program).finally(() => program.stop());
  const content = url === "" ? dumpSqlite(join(data, "wharf.db")) : dumpPostgres(url);
  const secretKey = readFileSync(keyFile).toString("base64");
  const fixture: StoreFixture = { secretKey, ...filled };
  writeFileSync(join(folder, `${store}.gz`), gzipSync(content, { level: 9 }));
  writeFileSync(join(folder, `${store}.json`), `${JSON.stringify(fixture, null, 2)}\n`);
  console.log(
    `${version}, ${store}: ${filled.resources.map(({ path }) => path.split("/")[3]).join(" ")}`,
  );
}
