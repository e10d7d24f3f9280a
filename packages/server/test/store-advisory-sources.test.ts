import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { AdvisoryDocumentSchema } from "@wharf/contract";
import { forgetSources, putSource } from "../src/store/tables/advisories/sources.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const RECORD = {
  id: "GHSA-4x9r-j582-cgr8",
  modified: "2025-03-05T22:10:11Z",
  affected: [{ package: { ecosystem: "npm", name: "templates" }, versions: ["1.0.0", "1.2.0"] }],
};

onEachStore("stored OSV records", (world) => {
  let direct: DirectStore;
  before(async () => {
    direct = await DirectStore.open(world.server);
  });
  after(() => direct.close());

  async function countIn(table: string, group: string): Promise<number> {
    const sql = `SELECT count(*) AS total FROM ${table} WHERE group_uid = ?`;
    const row = await direct.engine.store.reader.get<{ total: number }>(sql, group);
    return Number(row?.total);
  }

  test("are deleted with their group", async () => {
    const group = await world.organization();
    const source = { advisory: `${group}/0123456789abcdef`, time: 1, group: group, rated: true };
    const texts = { record: "{}", affected: "[]", written: "" };
    const times = { imported: 1, modified: 1, described: new Uint8Array() };
    const { store } = direct.engine;
    await store.write((tx) => putSource(tx, { ...source, ...texts, ...times }));
    assert.equal(await countIn("advisory_records", group), 1);
    await world.operator().groups.delete(group);
    assert.equal(await countIn("advisory_records", group), 0);
    assert.equal(await countIn("advisory_sources", group), 0);
  });

  test("are added to advisories that an earlier version imported without them", async () => {
    const api = world.operator();
    const group = await world.organization();
    const document = readDocument(Buffer.from(JSON.stringify(RECORD)), { name: "record" });
    const documents = [toJson(AdvisoryDocumentSchema, document) as JsonObject];
    const { importAdvisories } = api.advisoryImports;
    const take = async () => (await importAdvisories({ parent: group, documents })).results[0];
    await take();
    await direct.engine.store.write((tx) => forgetSources(tx, group));
    const [{ uid, updateTime }] = (await api.advisories.list({ uidp: { childrenOf: group } }))
      .advisories;
    assert.equal((await api.advisories.get(uid)).source ?? undefined, undefined);
    assert.equal((await take()).changed, 1);
    const { source } = await api.advisories.get(uid);
    assert.deepEqual(source.osv, RECORD);
    // It was published with the time of the first import, and times do not go back.
    assert.ok(source.modifyTime > updateTime);
    assert.equal((await take()).unchanged, 1);
  });
});
