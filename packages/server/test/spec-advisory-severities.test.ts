import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { AdvisoryImportsService, VulnerabilitySchema } from "@wharf/contract";
import { saveVulnerability } from "../src/vulnerabilities/severities.ts";
import { written } from "./support/advisories.ts";
import { Insider } from "./support/insider.ts";
import { onEachStore } from "./support/test-world.ts";

const V3 = { type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" };
const V4 = { type: "TYPE_CVSS_V4", score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N" };
const V2 = { type: "TYPE_CVSS_V2", score: "AV:N/AC:L/Au:N/C:P/I:P/A:P" };

onEachStore("severities of advisories", (world) => {
  let insider: Insider;
  before(async () => {
    insider = await Insider.open(world.server);
  });
  after(() => insider.close());

  const save = (group: string, given: JsonObject) =>
    insider.change(
      ({ tx }) => saveVulnerability(tx, group, fromJson(VulnerabilitySchema, given)),
      AdvisoryImportsService.method.importAdvisories,
    );

  world.rule("come from what is known of the aliases, each once", async (api) => {
    const org = await world.organisation();
    const [made] = await written(
      insider,
      org,
      { advisoryId: "CGA-a", aliases: ["CVE-1", "GHSA-1"] },
      { advisoryId: "CGA-b", aliases: ["CVE-9"] },
    );
    const uid = made?.uid ?? "";
    assert.deepEqual((await api.advisories.get(uid)).severities, []);
    await save(org, { id: "CVE-1", severities: [V3, V2] });
    await save(org, { id: "OSV-1", aliases: ["GHSA-1"], severities: [V3, V4] });
    const found = await api.advisories.get(uid);
    assert.deepEqual(found.severities, [V3, V2, V4]);
    const { advisories } = await api.advisories.list({ uidp: { childrenOf: org } });
    const byId = new Map(advisories.map((one: { advisoryId: string }) => [one.advisoryId, one]));
    assert.deepEqual(byId.get("CGA-a"), found);
    assert.deepEqual((byId.get("CGA-b") as typeof found).severities, []);
  });

  test("what is known later replaces what was known earlier, never the other way", async () => {
    const org = await world.organisation();
    const [made] = await written(insider, org, { advisoryId: "CGA-a", aliases: ["CVE-1", "X-1"] });
    const shown = async () => (await world.operator().advisories.get(made?.uid ?? "")).severities;
    const newer = { id: "CVE-1", updateTime: "2026-02-02T00:00:00Z", severities: [V3] };
    assert.equal(await save(org, { ...newer, aliases: ["X-1"] }), true);
    const older = { id: "CVE-1", updateTime: "2026-02-01T00:00:00Z", severities: [V2] };
    assert.equal(await save(org, older), false);
    assert.deepEqual(await shown(), [V3]);
    assert.equal(await save(org, { ...newer, aliases: ["X-1"] }), false);
    const last = { ...newer, id: "CVE-1", updateTime: "2026-02-03T00:00:00Z", severities: [V4] };
    assert.equal(await save(org, { ...last, aliases: [] }), true);
    assert.deepEqual(await shown(), [V4]);
  });

  test("count in the group that they were brought into and below, the nearest first", async () => {
    const [org, stranger] = [await world.organisation(), await world.organisation()];
    const group = await world.group(org);
    const given = { advisoryId: "CGA-a", aliases: ["CVE-1"] };
    const uids: string[] = [];
    for (const place of [org, group, stranger]) {
      uids.push((await written(insider, place, given))[0]?.uid ?? "");
    }
    const shown = async () => {
      const found = await Promise.all(uids.map((uid) => world.operator().advisories.get(uid)));
      return found.map(({ severities }) => severities);
    };
    await save(org, { id: "CVE-1", severities: [V3] });
    assert.deepEqual(await shown(), [[V3], [V3], []]);
    await save(group, { id: "CVE-1", severities: [V4] });
    assert.deepEqual(await shown(), [[V3], [V4], []]);
  });

  test("go with their group", async () => {
    const org = await world.organisation();
    const count = async () => {
      const sql = "SELECT count(*) AS total FROM vulnerability_names WHERE place = ?";
      return (await insider.engine.store.reader.get<{ total: number }>(sql, org))?.total;
    };
    await save(org, { id: "CVE-1", aliases: ["GHSA-1"] });
    assert.equal(await count(), 2);
    await world.operator().groups.delete(org);
    assert.equal(await count(), 0);
  });
});
