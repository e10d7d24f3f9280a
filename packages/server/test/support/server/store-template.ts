import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { RESOURCES } from "../../../src/app/resources.ts";
import { storeBuiltinRoles } from "../../../src/iam/builtin-roles.ts";
import type { Driver } from "../../../src/store/db/connection.ts";
import { openSqlite } from "../../../src/store/db/sqlite.ts";
import { Store } from "../../../src/store/db/store.ts";
import { scratchFolder } from "./scratch-folder.ts";

/** Gives an empty database what a server of this version would give it first: a copy is faster to make. */
export async function fillTemplate(driver: Driver): Promise<void> {
  const tables = Object.values(RESOURCES).map((resource) => resource.table);
  const store = await Store.open(driver, tables, { committed() {} });
  await storeBuiltinRoles(store, Date.now());
  await store.close();
}

let template: Promise<string> | undefined;

async function createTemplate(): Promise<string> {
  const file = join(scratchFolder("wharf-template-"), "wharf.db");
  await fillTemplate(openSqlite(file));
  return file;
}

/** Puts the embedded database of a new store into a folder. */
export async function copyTemplate(data: string): Promise<void> {
  template ??= createTemplate();
  copyFileSync(await template, join(data, "wharf.db"));
}
