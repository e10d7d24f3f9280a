import assert from "node:assert/strict";
import { before } from "node:test";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { advisory, DETECTED, FIXED, plain } from "./support/world/advisory-imports.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("imports of advisories", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  world.rule("events about single products stay so when version 1 edits them", async (api) => {
    const group = await world.group(org);
    const products = ["pkg:npm/left-pad@1.0"];
    const cleared = {
      ...{ createTime: FIXED.createTime, reviewState: "REVIEW_STATE_PENDING", products },
      falsePositiveDetermination: { note: "unused" },
    };
    const advisories = [advisory("CGA-1", { events: [cleared] })];
    await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [{ name: "one", advisories }],
    });
    const [{ uid }] = (await api.advisories.list({ uidp: { childrenOf: group } })).advisories;
    const [event] = (await api.v1.advisoryEvents.list({ parentId: uid })).items;
    const { id } = event;
    const edited = { ...event, falsePositiveDetermination: { note: "never called" } };
    await api.v1.advisoryEvents.update(id, edited);
    const [stored] = (await api.advisories.get(uid)).events;
    assert.deepEqual(
      [stored.falsePositiveDetermination.note, stored.products],
      ["never called", products],
    );
    const other = ["pkg:npm/left-pad@2.0"];
    const more = {
      ...cleared,
      products: other,
      falsePositiveDetermination: { note: "never called" },
    };
    const further = [advisory("CGA-1", { events: [more] })];
    await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [{ name: "two", advisories: further }],
    });
    const [merged] = (await api.advisories.get(uid)).events;
    assert.deepEqual(merged.products, [...products, ...other]);
  });

  world.rule("importing is idempotent", async (api) => {
    const group = await world.group(org);
    const documents = [
      { name: "openssl.yaml", advisories: [advisory("CGA-1"), advisory("CGA-2")] },
      { name: "zlib.yaml", advisories: [advisory("CGA-3", { events: [FIXED, DETECTED] })] },
    ];
    const first = await api.advisoryImports.importAdvisories({ parent: group, documents });
    const created = [plain("openssl.yaml", { created: 2 }), plain("zlib.yaml", { created: 1 })];
    assert.deepEqual(first.results, created);
    const uidp = { childrenOf: group };
    const list = await api.advisories.list({ uidp });
    assert.equal(list.totalCount, "3");
    const third = list.advisories.find((one: { advisoryId: string }) => one.advisoryId === "CGA-3");
    assert.equal(third.author, OPERATOR_UID);
    assert.deepEqual(
      third.events.map((event: { createTime: string; author: string; reviewState: string }) => [
        event.createTime,
        event.author,
        event.reviewState,
      ]),
      [
        [DETECTED.createTime, OPERATOR_UID, "REVIEW_STATE_APPROVED"],
        [FIXED.createTime, FIXED.author, "REVIEW_STATE_APPROVED"],
      ],
    );
    const again = await api.advisoryImports.importAdvisories({ parent: group, documents });
    assert.deepEqual(again.results, [
      plain("openssl.yaml", { unchanged: 2 }),
      plain("zlib.yaml", { unchanged: 1 }),
    ]);
    assert.deepEqual(await api.advisories.list({ uidp }), list, "down to the times");
    const sql = `SELECT type, group_uid, body FROM events WHERE subject = '${group}'`;
    const events = await rawRows<Record<string, string>>(world.server, sql);
    const imported = events.filter(({ type }) => type?.includes("advisories"));
    assert.deepEqual(
      imported.map(({ type, group_uid, body }) => [type, group_uid, JSON.parse(body as string)]),
      [["vulnerabilities.advisories.imported.v1", group, { results: created }]],
    );
    const audit = `SELECT detail FROM audit WHERE resource = '${group}' AND method LIKE '%ImportAdvisories'`;
    const lines = await rawRows<{ detail: string }>(world.server, audit);
    assert.deepEqual(
      lines.map(({ detail }) => JSON.parse(detail)),
      [{ documents: 2, created: 3, changed: 0, vulnerabilities: 0, pendingEvents: 0 }],
    );
  });

  world.rule("fields of an advisory are replaced, and its events merged", async (api) => {
    const group = await world.group(org);
    const take = (more: object) =>
      api.advisoryImports.importAdvisories({
        parent: group,
        documents: [{ name: "x", advisories: [advisory("CGA-1", more)] }],
      });
    const uidp = { childrenOf: group };
    const stored = async () => (await api.advisories.list({ uidp })).advisories[0];
    await take({ componentName: "libssl3", legacyAdvisoryId: "OLD" });
    const before = await stored();
    const news = { artifactName: "openssl-fips", aliases: ["CVE-1", "CVE-1"], events: [FIXED] };
    assert.equal((await take(news)).results[0].changed, 1);
    const after = await stored();
    assert.deepEqual(
      [after.uid, after.createTime, after.artifactName, after.componentName, after.aliases],
      [before.uid, before.createTime, "openssl-fips", "", ["CVE-1"]],
    );
    // Most formats have no word for it.
    assert.equal(after.legacyAdvisoryId, "OLD");
    assert.deepEqual(after.events[0], before.events[0], "no event is lost");
    assert.equal(after.events[1].fixed.fixedVersion, "3.1.4-r1");
    const corrected = { ...FIXED, fixed: { fixedVersion: "3.1.4-r2" } };
    const twin = { ...corrected, fixed: { fixedVersion: "3.1.5-r0" } };
    assert.equal((await take({ events: [corrected, twin] })).results[0].changed, 1);
    const { events } = await stored();
    assert.deepEqual(
      events.slice(1).map((event: { fixed: { fixedVersion: string } }) => event.fixed.fixedVersion),
      ["3.1.4-r2", "3.1.5-r0"],
    );
    assert.equal(events[1].uid, after.events[1].uid, "the same event");
    assert.equal((await take({ events: [corrected, twin] })).results[0].unchanged, 1);
  });

  world.rule("the latest vulnerability metadata is imported", async (api) => {
    const group = await world.group(org);
    const vulnerability = (day: number, score: string, more: object = {}) => ({
      ...{ id: "CVE-2026-0001", updateTime: `2026-01-0${day}T00:00:00.000Z` },
      ...{ severities: [{ type: "TYPE_CVSS_V3", score }], ...more },
    });
    const take = async (...vulnerabilities: object[]) => {
      const document = { name: "x", advisories: [advisory("CGA-1")], vulnerabilities };
      const foreseen = await api.advisoryImports.importAdvisories({
        parent: group,
        documents: [document],
        validateOnly: true,
      });
      const { results } = await api.advisoryImports.importAdvisories({
        parent: group,
        documents: [document],
      });
      assert.deepEqual(foreseen.results, results);
      const [{ refusals, vulnerabilitiesChanged }] = results;
      return refusals.length > 0 ? refusals[0].field : vulnerabilitiesChanged;
    };
    const scores = async () => {
      const { advisories } = await api.advisories.list({ uidp: { childrenOf: group } });
      return advisories[0].severities.map((one: { score: string }) => one.score);
    };
    assert.equal(await take(vulnerability(2, "7.0"), { id: "CVE-2" }), 2);
    assert.deepEqual(await scores(), ["7.0"]);
    assert.equal(await take(vulnerability(2, "7.0"), { id: "CVE-2" }), 0, "the same again");
    assert.equal(await take(vulnerability(1, "1.0")), 0, "what was known earlier");
    assert.equal(await take(vulnerability(3, "9.0")), 1);
    assert.equal(await take(vulnerability(4, "1.0"), { id: "" }), "vulnerabilities[1].id");
    const twice = [vulnerability(4, "1.0"), vulnerability(5, "1.0")];
    assert.equal(await take(...twice), "vulnerabilities[1].id");
    const aliases = new Array(2_001).fill("CVE");
    assert.equal(await take(vulnerability(4, "1.0", { aliases })), "vulnerabilities[0].aliases");
    assert.deepEqual(await scores(), ["9.0"]);
  });

  world.rule("local review decisions stay", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const document = { name: "x", advisories: [advisory("CGA-1"), advisory("CGA-2")] };
    await api.advisoryImports.importAdvisories({ parent: group, documents: [document] });
    const uidp = { childrenOf: group };
    const { items } = await v1.advisories.list({ uidp });
    const [first, second] = ["CGA-1", "CGA-2"].map((id) =>
      items.find((each: { advisoryId: string }) => each.advisoryId === id),
    );
    await v1.advisories.delete(second.id);
    const writer = await world.member({ [group]: ["advisories.create", "advisories.update"] });
    const { timestamp } = (await v1.advisoryEvents.list({ parentId: first.id })).items[0];
    const theirs = api.as(writer.token).v1;
    const given = { timestamp, fixed: { fixedVersion: "1" } };
    const event = await theirs.advisoryEvents.create(first.id, given);
    await v1.advisoryEvents.update(event.id, { ...event, status: "REJECTED" });
    const claim = { createTime: timestamp, fixed: { fixedVersion: "2" } };
    const again = {
      name: "x",
      advisories: [advisory("CGA-1", { events: [claim] }), advisory("CGA-2", { events: [claim] })],
    };
    const { results } = await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [again],
    });
    assert.deepEqual(results, [plain("x", { unchanged: 2 })]);
    const after = (await v1.advisoryEvents.list({ parentId: first.id })).items;
    assert.deepEqual(
      [after.length, after[1].status, after[1].fixed.fixedVersion],
      [2, "REJECTED", "1"],
    );
    assert.equal((await v1.advisories.list({ uidp })).totalCount, "1", "what was deleted stays so");
  });

  world.rule(
    "foreign review decisions are neither reverted nor attributed to a local reviewer",
    async (api) => {
      const group = await world.group(org);
      const take = async (event: object) => {
        const document = { name: "x", advisories: [advisory("CGA-1", { events: [event] })] };
        const [{ created, changed, unchanged }] = (
          await api.advisoryImports.importAdvisories({ parent: group, documents: [document] })
        ).results;
        return [created, changed, unchanged];
      };
      const state = async () => {
        const { advisories } = await api.advisories.list({ uidp: { childrenOf: group } });
        const [{ reviewState, reviewer, fixed }] = advisories[0].events;
        return [reviewState, reviewer, fixed.fixedVersion];
      };
      const draft = { ...FIXED, reviewState: "REVIEW_STATE_PENDING", fixed: { fixedVersion: "9" } };
      assert.deepEqual(await take({ ...draft, reviewer: OPERATOR_UID }), [1, 0, 0]);
      assert.deepEqual(await state(), ["REVIEW_STATE_PENDING", "", "9"]);
      assert.deepEqual(await take({ ...FIXED, reviewer: OPERATOR_UID }), [0, 1, 0]);
      const approved = ["REVIEW_STATE_APPROVED", "", FIXED.fixed.fixedVersion];
      assert.deepEqual(await state(), approved);
      assert.deepEqual(await take(draft), [0, 0, 1]);
      assert.deepEqual(await take({ ...draft, reviewState: "REVIEW_STATE_REJECTED" }), [0, 0, 1]);
      assert.deepEqual(await state(), approved);
    },
  );

  world.rule("events with equal times keep their order", async (api) => {
    const group = await world.group(org);
    const at = (event: object) => ({ createTime: DETECTED.createTime, ...event });
    const [found, known, done] = [
      at({ detection: { manual: {} } }),
      at({ truePositiveDetermination: { note: "yes" } }),
      at({ fixed: { fixedVersion: "1" } }),
    ];
    const take = async (...events: object[]) => {
      const document = { name: "x", advisories: [advisory("CGA-1", { events })] };
      return (await api.advisoryImports.importAdvisories({ parent: group, documents: [document] }))
        .results[0];
    };
    await take(known);
    assert.equal((await take(found, known, done)).changed, 1);
    const fixed = { uidp: { childrenOf: group }, latestEventType: "EVENT_TYPE_FILTER_FIXED" };
    for (const events of [[found], [known], [known, found], [done, found]]) {
      assert.equal((await take(...events)).unchanged, 1);
      assert.equal((await api.advisories.list(fixed)).totalCount, "1");
    }
  });

  world.rule("importing requires the capabilities to create and to update", async (api) => {
    const group = await world.group(org);
    const documents = [{ name: "x", advisories: [advisory("CGA-1")] }];
    for (const held of [
      ["advisories.create", "advisories.approve", "advisories.list"],
      ["advisories.update", "advisories.approve", "advisories.delete"],
    ]) {
      const by = api.as((await world.member({ [group]: held })).token);
      for (const more of [{ validateOnly: true }, {}]) {
        const refusal = await rejected(
          by.advisoryImports.importAdvisories({ parent: group, documents, ...more }),
        );
        assert.equal(refusal.code, 7);
      }
    }
    const nowhere = `${group}/0123456789abcdef`;
    for (const more of [{ validateOnly: true }, {}]) {
      const refusal = await rejected(
        api.advisoryImports.importAdvisories({ parent: nowhere, documents, ...more }),
      );
      assert.deepEqual([refusal.code, refusal.missing], [5, `Group ${nowhere}`]);
    }
    const many = new Array(1_001).fill({ name: "x" });
    const refusal = await rejected(
      api.advisoryImports.importAdvisories({ parent: group, documents: many }),
    );
    assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, ["documents"]]);
    assert.equal((await api.advisories.list({ uidp: { childrenOf: group } })).totalCount, "0");
  });
});
