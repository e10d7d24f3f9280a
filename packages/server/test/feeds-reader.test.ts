import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { type Advisory, AdvisoryDocumentSchema } from "@wharf/contract";
import { CountedTask } from "../src/lib/testing/counted-task.ts";
import type { Reader, Value } from "../src/store/db/connection.ts";
import { FeedReader } from "../src/vulnerabilities/feeds/reader.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const OTHERS = 3_000;
const OWN = 40;

onEachStore("feeds of a small group beside a large one", (world) => {
  let direct: DirectStore;
  let [small, large]: string[] = [];
  before(async () => {
    direct = await DirectStore.open(world.server);
    [small, large] = [await world.organization(), await world.organization()];
    const folder = await world.group(small);
    const given = (count: number, from = 0) =>
      Array.from({ length: count }, (_, at) => ({
        advisoryId: `CGA-${from + at}`,
        // Named so that their order is neither that of their making nor that of their numbers.
        artifactName: `package-${(at * 7) % 11}`,
        artifactType: "apk",
      }));
    const take = async (group: string, advisories: object[]) => {
      const { results } = await world.operator().advisoryImports.importAdvisories({
        parent: group,
        documents: [{ name: "x", advisories }],
      });
      assert.equal(results[0].created, advisories.length);
    };
    await take(large, given(OTHERS));
    await take(small, given(OWN / 2));
    await take(folder, given(OWN / 2, OWN / 4));
  });
  after(() => direct.close());

  /** A reader of the feed of a group, and the number of rows that it has read from the store. */
  function reading(group: string) {
    const { store } = direct.engine;
    const seen = { rows: 0 };
    const counting: Reader = {
      dialect: store.reader.dialect,
      get: (sql, ...params) => store.reader.get(sql, ...params),
      all: (sql, ...params) => store.reader.all(sql, ...params),
      arrays: async <R extends readonly Value[]>(sql: string, ...params: Value[]) => {
        const found = await store.reader.arrays<R>(sql, ...params);
        seen.rows += found.length;
        return found;
      },
    };
    const counted = Object.create(store, { reader: { value: counting } });
    const deps = { catalog: direct.engine.catalog, store: counted };
    const task = new CountedTask();
    return { reader: new FeedReader(deps, group, task), seen, task };
  }

  async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
    const found: T[] = [];
    for await (const item of items) found.push(item);
    return found;
  }

  test("contain their own advisories only", async () => {
    const { reader, seen } = reading(small ?? "");
    const ids = (await all(reader.byId())).map(({ advisoryId }) => advisoryId);
    const wanted = Array.from({ length: (OWN * 3) / 4 }, (_, at) => `CGA-${at}`).sort();
    assert.deepEqual(ids, wanted, "each id once, in the order of ids");
    assert.ok(seen.rows <= 3 * OWN, `${seen.rows} rows were read`);
  });

  test("name packages as feeds of large groups do", async () => {
    const namesOf = async (group: string) => {
      const packages: (readonly Advisory[])[] = await all(reading(group).reader.byPackage());
      return packages.map((one) => one[0]?.artifactName);
    };
    const names = Array.from({ length: 11 }, (_, at) => `package-${at}`).sort();
    assert.deepEqual(await namesOf(small ?? ""), names);
    assert.deepEqual(await namesOf(large ?? ""), names);
  });

  test("let other requests run between any two documents", async () => {
    for (const read of [
      (reader: FeedReader) => reader.byId(),
      (reader: FeedReader) => reader.byDocument(),
      (reader: FeedReader) => reader.byPackage(),
    ]) {
      const { reader, task } = reading(large ?? "");
      let steps = 0;
      for await (const _ of read(reader)) {
        assert.ok(task.steps > steps);
        steps = task.steps;
      }
      assert.ok(steps > OTHERS / 100, "and between batches");
    }
  });

  test("buffer the packages of one record, within the memory limit", async () => {
    const { engine } = direct;
    const group = await world.organization();
    const packages = Array.from({ length: 60 }, (_, at) => `package-${at}`);
    const record = (id: string) => ({
      ...{ id, modified: "2026-01-01T00:00:00Z", details: "Long. ".repeat(500) },
      affected: packages.map((name) => ({ package: { ecosystem: "npm", name } })),
    });
    const ids = ["GHSA-2222-3333-4444", "GHSA-3333-4444-5555"];
    const documents = ids.map((name) => {
      const document = readDocument(Buffer.from(JSON.stringify(record(name))), { name });
      return toJson(AdvisoryDocumentSchema, document) as JsonObject;
    });
    await world.operator().advisoryImports.importAdvisories({ parent: group, documents });
    const of = (maxBytes?: number) => new FeedReader(engine, group, new CountedTask(), maxBytes);
    const records = await all(of().byDocument());
    assert.deepEqual(
      records.map((advisories) => [advisories[0]?.source?.osv?.id, advisories.length]),
      ids.map((id) => [id, packages.length]),
    );
    for (const advisories of records) {
      const names = new Set(advisories.map(({ artifactName }) => artifactName));
      assert.deepEqual(names, new Set(packages));
    }
    const [id = ""] = ids;
    const found = await of().document(id);
    assert.deepEqual(found, { advisories: records[0] });
    const code = "RESOURCE_EXHAUSTED";
    await assert.rejects(of(5_000).document(id), { code });
    await assert.rejects(all(of(5_000).byDocument()), { code });
  });

  test("reject packages above the memory limit", async () => {
    const { engine } = direct;
    const code = "RESOURCE_EXHAUSTED";
    const of = (mostHeld: number) =>
      new FeedReader(engine, large ?? "", new CountedTask(), mostHeld);
    const key = { type: "apk", name: "package-3" };
    const { length } = await of(1024 * 1024).ofPackage(key);
    assert.ok(length > OTHERS / 12);
    await assert.rejects(of(2_000).ofPackage(key), { code });
    await assert.rejects(all(of(2_000).byPackage()), { code });
    assert.equal((await all(of(2_000).byId())).length, OTHERS, "one by one there is room");
  });
});
