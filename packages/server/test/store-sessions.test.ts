import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addSession,
  MAX_SESSIONS_PER_IDENTITY,
  type StoredSession,
} from "../src/store/tables/login/sessions.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES } from "./support/server/test-server.ts";

const ADA = "a".repeat(40);
const BOB = "b".repeat(40);

const session = (id: string, identity: string, created: number): StoredSession => ({
  ...{ id, identity, provider: "", created, used: created, expires: 9e12 },
  ...{ generation: 0, mappings: "[]", person: "{}", remoteAddress: "", userAgent: "" },
});

for (const kind of STORES) {
  test(`new sessions of an identity evict the oldest, on ${kind}`, async (t) => {
    const database = await NewDatabase.of(kind);
    t.after(() => database.close());
    const store = await database.store();
    const ids = Array.from({ length: MAX_SESSIONS_PER_IDENTITY + 15 }, (_, at) => String(at));
    await store.write(async (tx) => {
      await addSession(tx, session("of bob", BOB, 1));
      const number = tx.dialect.asInteger("value");
      // More than there may be, as an earlier version could leave them.
      const values = `value, '${ADA}', '', ${number}, 0, 9000000000000, 0, '[]', '{}', '', ''`;
      await tx.run(
        `INSERT INTO sessions (id, identity, provider, created, used, expires, generation, mappings,
           person, remote_address, user_agent) SELECT ${values} FROM (${tx.dialect.texts}) given`,
        JSON.stringify(ids),
      );
    });
    const held = async () => {
      const sql = "SELECT id, identity, created FROM sessions ORDER BY identity, created";
      const rows = await store.reader.all<{ id: string; identity: string; created: number }>(sql);
      const own = rows.filter(({ identity }) => identity === ADA);
      assert.equal(rows.length - own.length, 1, "others keep theirs");
      return { count: own.length, oldest: Number(own[0]?.created), newest: own.at(-1)?.id };
    };
    const add = (id: string, created: number) =>
      store.write((tx) => addSession(tx, session(id, ADA, created)));
    const version = await store.accessVersion();
    await add("x", 5_001);
    assert.equal(await store.accessVersion(), version + 1, "their tokens are void");
    const most = MAX_SESSIONS_PER_IDENTITY;
    assert.deepEqual(await held(), { count: most + 6, oldest: 10, newest: "x" });
    await add("y", 5_002);
    assert.deepEqual(await held(), { count: most, oldest: 17, newest: "y" });
    await add("z", 5_003);
    assert.deepEqual(await held(), { count: most, oldest: 18, newest: "z" });
  });
}
