import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { roleBindings } from "../../../iam/role-bindings.ts";
import type { Driver, Reader, Value } from "../../db/connection.ts";
import { openSqlite } from "../../db/sqlite.ts";
import { Store } from "../../db/store.ts";
import { countBindingsAt, identitiesBoundAt, readBindingsAt } from "./access-grants.ts";
import { bindingsAt, bindingsOf } from "./identity-bindings.ts";

const GROUP = "a".repeat(40);
const BY_GROUP = "INDEX role_bindings_by_parent_name ";
const BY_IDENTITY = "COVERING INDEX role_bindings_by_identity_uid_parent_role_uid ";

describe("the plans of lists of grants", () => {
  const directory = mkdtempSync(join(tmpdir(), "wharf-grants-"));
  let driver: Driver;
  before(async () => {
    driver = openSqlite(join(directory, "wharf.db"));
    await Store.open(driver, [roleBindings.table], { committed() {} });
  });
  after(async () => {
    await driver.close();
    rmSync(directory, { recursive: true });
  });

  /** The plan of the last statement. */
  async function planOf(ask: (reader: Reader) => Promise<unknown>): Promise<string> {
    const { reader } = driver;
    let last: readonly [sql: string, ...params: Value[]] | undefined;
    const recording: Reader = {
      dialect: reader.dialect,
      get(sql, ...params) {
        last = [sql, ...params];
        return reader.get(sql, ...params);
      },
      all(sql, ...params) {
        last = [sql, ...params];
        return reader.all(sql, ...params);
      },
      arrays: (sql, ...params) => reader.arrays(sql, ...params),
    };
    await ask(recording);
    assert.ok(last !== undefined);
    const [sql, ...params] = last;
    const steps = await reader.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params);
    return steps.map(({ detail }) => detail).join("\n");
  }

  test("the grants at a group are read in the order of its index", async () => {
    const page = { after: 7, skip: 0, limit: 51 };
    for (const roles of [undefined, [GROUP]]) {
      const plan = await planOf((reader) => readBindingsAt(reader, { group: GROUP, roles }, page));
      assert.ok(plan.includes(BY_GROUP) && !plan.includes("ORDER BY"), plan);
    }
    const which = { group: GROUP, roles: [GROUP] };
    assert.ok((await planOf((reader) => countBindingsAt(reader, which))).includes(BY_GROUP));
    assert.ok((await planOf((reader) => identitiesBoundAt(reader, which, 9))).includes(BY_GROUP));
  });

  test("the number of grants at a group is looked up", async () => {
    const which = { group: GROUP, roles: undefined };
    const plan = await planOf((reader) => countBindingsAt(reader, which));
    assert.match(plan, /^SEARCH counts /);
  });

  test("the grants of an identity are read from one index", async () => {
    const all = await planOf((reader) => Array.fromAsync(bindingsOf(reader, GROUP)));
    const some = await planOf((reader) => bindingsAt(reader, GROUP, [GROUP]));
    assert.ok(all.includes(BY_IDENTITY) && !all.includes("ORDER BY"), all);
    assert.ok(some.includes(BY_IDENTITY), some);
  });
});
