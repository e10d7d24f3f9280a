/** An import of a source that is killed goes on where it was. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { changesOf, osvRecord, SourceServer } from "./support/exposure/source-server.ts";
import { until } from "./support/until.ts";
import { World } from "./support/world/world.ts";

const RECORDS = 400;
const STALLED = 300;

describe("an import that is killed", () => {
  let world: World;
  let server: SourceServer;
  before(async () => {
    server = await SourceServer.start();
    world = await World.start({ ownProcess: true });
  });
  after(async () => {
    await world.stop();
    server.stop();
  });

  test("goes on after the records that are imported", async () => {
    const id = (number: number) => `GHSA-${String(number).padStart(4, "0")}`;
    const recordOf = (number: number) => {
      const modified = new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString();
      return osvRecord(id(number), "npm", `package-${number}`, { modified });
    };
    const put = (records: object[]) => {
      server.put("/npm/modified_id.csv", changesOf(records));
      for (const one of records as { id: string }[]) {
        server.put(`/npm/${one.id}.json`, JSON.stringify(one));
      }
    };
    // The first import, which takes the archive, has nothing; the second takes records one by one.
    put([]);
    server.put("/npm/all.zip", Buffer.concat([Buffer.from("PK\u0005\u0006"), Buffer.alloc(18)]));
    const api = world.operator().vulnerabilitySources;
    const parent = await world.organization();
    const { uid } = await api.create(parent, {
      name: "feed",
      kind: "VULNERABILITY_SOURCE_KIND_OSV",
      url: server.url,
      ecosystems: ["npm"],
    });
    const status = async () => (await api.get(uid)).status;
    const { lastAttemptTime: first } = await until(async () => {
      const found = await status();
      assert.equal(found.error ?? "", "");
      return found.lastAttemptTime !== undefined && found;
    });
    put(Array.from({ length: RECORDS }, (_, number) => recordOf(number)));
    const stalled = new Promise<void>((resolve) => {
      server.put(`/npm/${id(STALLED)}.json`, () => resolve());
    });
    await api.runVulnerabilitySource({ uid });
    await stalled;
    await world.server.kill();
    put(Array.from({ length: RECORDS }, (_, number) => recordOf(number)));
    server.requests.length = 0;
    await world.server.restart();
    const { error = "", records } = await until(async () => {
      const found = await status();
      return found.lastAttemptTime !== first && found;
    });
    assert.equal(error, "");
    const requested = server.taken(200).filter((path) => path.endsWith(".json"));
    assert.ok(requested.includes(`/npm/${id(STALLED)}.json`));
    assert.ok(!requested.includes(`/npm/${id(100)}.json`), "imported records are not read again");
    assert.equal(Number(records), requested.length);
    const { totalCount } = await world.operator().advisories.list({ uidp: { childrenOf: parent } });
    assert.equal(Number(totalCount), RECORDS);
  });
});
