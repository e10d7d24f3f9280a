import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { VulnerabilitySchema } from "@wharf/contract";
import { resumeSeverities } from "../src/vulnerabilities/severities/severity-changes.ts";
import { saveVulnerabilities } from "../src/vulnerabilities/severities/vulnerability-writer.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { writing, written } from "./support/world/advisories.ts";
import { onEachStore } from "./support/world/world.ts";

const V3 = { type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" };
const V4 = { type: "TYPE_CVSS_V4", score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N" };
const V2 = { type: "TYPE_CVSS_V2", score: "AV:N/AC:L/Au:N/C:P/I:P/A:P" };

onEachStore("severities of advisories", (world) => {
  let direct: DirectStore;
  before(async () => {
    direct = await DirectStore.open(world.server);
  });
  after(() => direct.close());

  /** Keeps the stored severities, as an import without them. */
  const save = async (group: string, given: JsonObject) => {
    const known = fromJson(VulnerabilitySchema, given);
    return (await writing(direct, group, (writer) => saveVulnerabilities(writer, [known]))) === 1;
  };

  world.rule("come from the metadata of the aliases, each once", async (api) => {
    const org = await world.organization();
    const [made] = await written(
      direct,
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

  test("later metadata replaces earlier, never the other way", async () => {
    const org = await world.organization();
    const [made] = await written(direct, org, { advisoryId: "CGA-a", aliases: ["CVE-1", "X-1"] });
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

  test("apply in the group of the import and below; the nearest group wins", async () => {
    const [org, stranger] = [await world.organization(), await world.organization()];
    const group = await world.group(org);
    const given = { advisoryId: "CGA-a", aliases: ["CVE-1"] };
    const uids: string[] = [];
    for (const place of [org, group, stranger]) {
      uids.push((await written(direct, place, given))[0]?.uid ?? "");
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

  test("are deleted with their group", async () => {
    const org = await world.organization();
    const count = async () => {
      const sql = "SELECT count(*) AS total FROM vulnerability_names WHERE place = ?";
      return (await direct.engine.store.reader.get<{ total: number }>(sql, org))?.total;
    };
    await save(org, { id: "CVE-1", aliases: ["GHSA-1"] });
    assert.equal(await count(), 2);
    await world.operator().groups.delete(org);
    assert.equal(await count(), 0);
  });

  interface Shown {
    readonly advisoryId: string;
    readonly updateTime: string;
    readonly severities: readonly object[];
  }

  /** Reads bit by bit what has changed in a group and below. */
  function follower(api: ApiClient, group: string) {
    let since = "1970-01-01T00:00:00Z";
    return async (): Promise<Shown[]> => {
      const request = { uidp: { descendantsOf: group }, updatedSince: since };
      const page = await api.advisories.list({ ...request, orderBy: "updated_at", pageSize: 200 });
      const news = page.advisories.filter((one: Shown) => one.updateTime > since);
      since = page.advisories.at(-1)?.updateTime ?? since;
      return news;
    };
  }

  const idsOf = (all: readonly Shown[]) => all.map(({ advisoryId }) => advisoryId).sort();

  world.rule("update the time of the advisories that show them", async (api) => {
    const org = await world.organization();
    const [group, beside] = [await world.group(org), await world.group(org)];
    const one = { advisoryId: "CGA-1", aliases: ["CVE-1", "GHSA-1"] };
    const other = { advisoryId: "CGA-2", aliases: ["CVE-2"] };
    for (const place of [org, group, beside]) await written(direct, place, one, other);
    const [all, below] = [follower(api, org), follower(api, group)];
    assert.deepEqual([(await all()).length, (await below()).length], [6, 2]);
    let day = 1;
    const take = async (place: string, more: object) => {
      const updateTime = `2026-01-0${day++}T00:00:00Z`;
      const vulnerabilities = [{ id: "CVE-1", updateTime, severities: [V3], ...more }];
      const { results } = await api.advisoryImports.importAdvisories({
        parent: place,
        documents: [{ name: "x", vulnerabilities }],
      });
      assert.equal(results[0].vulnerabilitiesChanged, 1);
    };
    await take(org, {});
    const news = await all();
    assert.deepEqual(idsOf(news), ["CGA-1", "CGA-1", "CGA-1"]);
    for (const { severities } of news) assert.deepEqual(severities, [V3]);
    assert.deepEqual(idsOf(await below()), ["CGA-1"]);
    await take(org, { summary: "another summary" });
    assert.deepEqual(await all(), [], "what is shown is the same");
    await take(group, { severities: [V4] });
    assert.deepEqual(
      (await all()).map(({ severities }) => severities),
      [[V4]],
      "in the group alone",
    );
    await take(org, { id: "OSV-1", aliases: ["CVE-2"], severities: [V2] });
    assert.deepEqual(idsOf(await all()), ["CGA-2", "CGA-2", "CGA-2"]);
    await take(org, { id: "OSV-1", aliases: ["CVE-3"], severities: [V2] });
    const without = await all();
    assert.deepEqual(idsOf(without), ["CGA-2", "CGA-2", "CGA-2"], "no longer by that name");
    for (const { severities } of without) assert.deepEqual(severities, []);
    await take(group, { severities: [] });
    assert.deepEqual(
      (await all()).map(({ severities }) => severities),
      [[]],
      "the nearest counts",
    );
  });

  world.rule("imported with new advisories do not update them again", async (api) => {
    const group = await world.organization();
    const events = [{ createTime: "2026-01-01T00:00:00Z", fixed: { fixedVersion: "1" } }];
    const advisories = [
      { advisoryId: "CGA-1", artifactType: "apk", artifactName: "x", aliases: ["CVE-1"], events },
    ];
    const vulnerabilities = [{ id: "CVE-1", severities: [V3] }];
    const document = { name: "x", advisories, vulnerabilities };
    await api.advisoryImports.importAdvisories({ parent: group, documents: [document] });
    const { createTime, updateTime, severities } = (
      await api.advisories.list({ uidp: { childrenOf: group } })
    ).advisories[0];
    assert.deepEqual([updateTime, severities], [createTime, [V3]]);
    const news = follower(api, group);
    await news();
    await api.advisoryImports.importAdvisories({ parent: group, documents: [document] });
    assert.deepEqual(await news(), [], "the same again");
  });

  world.rule("with further aliases update only the advisories that gain them", async (api) => {
    const group = await world.organization();
    await written(
      direct,
      group,
      { advisoryId: "CGA-both", aliases: ["CVE-1", "GHSA-1"] },
      { advisoryId: "CGA-one", aliases: ["GHSA-1"] },
    );
    const take = (vulnerability: object) =>
      api.advisoryImports.importAdvisories({
        parent: group,
        documents: [{ name: "x", vulnerabilities: [vulnerability] }],
      });
    await take({ id: "CVE-1", severities: [V3] });
    const news = follower(api, group);
    await news();
    await take({ id: "CVE-1", aliases: ["GHSA-1"], severities: [V3] });
    assert.deepEqual(idsOf(await news()), ["CGA-one"]);
  });

  test("shown by many advisories update all of them, in several batches", async () => {
    const org = await world.organization();
    const group = await world.group(org);
    const many = Array.from({ length: 600 }, (_, at) => {
      return { advisoryId: `CGA-${at}`, aliases: ["CVE-1", `CVE-own-${at}`] };
    });
    await written(direct, group, ...many);
    const [deleted] = await written(direct, group, { advisoryId: "CGA-x", aliases: ["CVE-1"] });
    const { uid } = deleted ?? assert.fail();
    await writing(direct, group, async (w) => w.delete(await w.findByUid(uid)));
    const totals = async () => {
      const uidp = { descendantsOf: org };
      const read = async (more: object) =>
        (await world.operator().advisories.list({ uidp, pageSize: 1, ...more })).totalCount;
      return [await read({ updatedSince: since }), await read({})];
    };
    const { advisories } = await world.operator().advisories.list({
      ...{ uidp: { descendantsOf: org }, orderBy: "updated_at desc", pageSize: 1 },
      showDeleted: true,
    });
    const since = new Date(Date.parse(advisories[0].updateTime) + 1).toISOString();
    assert.deepEqual(await totals(), ["0", "600"]);
    // As if the process had ended right after.
    await save(org, { id: "CVE-1", severities: [V3] });
    await save(org, { id: "CVE-own-7", severities: [V4] });
    assert.deepEqual(await totals(), ["0", "600"]);
    const stopped = new AbortController();
    stopped.abort();
    await resumeSeverities(direct.engine, stopped.signal);
    assert.deepEqual(await totals(), ["0", "600"]);
    await resumeSeverities(direct.engine, new AbortController().signal);
    assert.deepEqual(await totals(), ["600", "600"], "deleted advisories are not updated");
    const before = await direct.engine.store.reader.all("SELECT place FROM severity_changes");
    assert.deepEqual(before, []);
    // The next import goes on, too.
    await save(org, { id: "CVE-1", severities: [V4] });
    const news = follower(world.operator(), org);
    await news();
    await world
      .operator()
      .advisoryImports.importAdvisories({ parent: org, documents: [{ name: "x" }] });
    assert.equal((await news()).length, 200, "the first page of them");
  });
});
