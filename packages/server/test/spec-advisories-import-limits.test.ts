import assert from "node:assert/strict";
import { before } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { advisory, DETECTED } from "./support/world/advisory-imports.ts";
import { onEachStore } from "./support/world/world.ts";

/** The result of a document that changed nothing, because of one field. */
function assertRejected(
  { refusals, ...counts }: { refusals: { field: string }[] },
  field: string,
): void {
  const none = { created: 0, changed: 0, unchanged: 0, vulnerabilitiesChanged: 0 };
  assert.deepEqual(counts, { name: "x", ...none, pendingEvents: 0 });
  assert.deepEqual(
    refusals.map((one) => one.field),
    [field],
  );
}

onEachStore("limits of imports", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  world.rule("the events of an advisory are limited in number", async (api) => {
    const group = await world.group(org);
    const events = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => {
        return { ...DETECTED, createTime: new Date(1_700_000_000_000 + from + at).toISOString() };
      });
    const document = (from: number, count: number) => ({
      name: "x",
      advisories: [advisory("CGA-2"), advisory("CGA-1", { events: events(from, count) })],
    });
    const full = await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [document(0, 1_000)],
    });
    assert.equal(full.results[0].created, 2);
    const list = await api.advisories.list({ uidp: { childrenOf: group } });
    for (const more of [{ validateOnly: true }, {}]) {
      const { results } = await api.advisoryImports.importAdvisories({
        parent: group,
        documents: [document(1, 1_000)],
        ...more,
      });
      assertRejected(results[0], "advisories[1].events");
    }
    assert.deepEqual(await api.advisories.list({ uidp: { childrenOf: group } }), list);
  });

  world.rule("the events of an advisory are limited in size", async (api) => {
    const group = await world.group(org);
    const v1 = api.v1;
    const findings = Buffer.alloc(60_000, "x").toString("base64");
    const event = (at: number) => ({
      ...{ createTime: new Date(1_700_000_000_000 + at).toISOString(), findings },
      fixed: { fixedVersion: `${at}` },
    });
    const take = async (from: number, count: number, more: object = {}) => {
      const events = Array.from({ length: count }, (_, at) => event(from + at));
      const given = { name: "x", advisories: [advisory("CGA-1", { events })] };
      return (
        await api.advisoryImports.importAdvisories({ parent: group, documents: [given], ...more })
      ).results[0];
    };
    assert.equal((await take(0, 4)).created, 1);
    const list = await api.advisories.list({ uidp: { childrenOf: group } });
    for (const more of [{ validateOnly: true }, {}]) {
      assertRejected(await take(4, 1, more), "advisories[0].events");
    }
    const [{ uid }] = list.advisories;
    const adding = v1.advisoryEvents.create(uid, { findings, fixed: { fixedVersion: "2" } });
    assert.deepEqual(Object.keys((await rejected(adding)).fields), ["advisoryEvent"]);
    assert.deepEqual(await api.advisories.list({ uidp: { childrenOf: group } }), list);
  });

  world.rule("every field counts for the size", async (api) => {
    const group = await world.group(org);
    const many = (more: object) =>
      Array.from({ length: 70 }, (_, at) => ({
        ...{ ...DETECTED, createTime: new Date(1_700_000_000_000 + at).toISOString() },
        ...more,
      }));
    const long = "x".repeat(4_000);
    const given = [
      { issue: long },
      { author: long },
      { detection: undefined, fixed: { note: long } },
    ];
    for (const more of given) {
      const advisories = [advisory("CGA-1", { events: many(more) })];
      const { results } = await api.advisoryImports.importAdvisories({
        parent: group,
        documents: [{ name: "x", advisories }],
      });
      assertRejected(results[0], "advisories[0].events");
    }
    assert.equal((await api.advisories.list({ uidp: { childrenOf: group } })).totalCount, "0");
  });

  world.rule("records of one vulnerability id are limited in number", async (api) => {
    const group = await world.group(org);
    const take = (from: number, count: number) => {
      const vulnerabilities = Array.from({ length: count }, (_, at) => {
        return { id: `OSV-${from + at}`, aliases: ["CVE-1"], updateTime: "2026-01-01T00:00:00Z" };
      });
      return api.advisoryImports.importAdvisories({
        parent: group,
        documents: [{ name: "x", vulnerabilities }],
      });
    };
    assert.equal((await take(0, 200)).results[0].vulnerabilitiesChanged, 200);
    const { code, fields } = await rejected(take(200, 1));
    assert.deepEqual([code, Object.keys(fields)], [3, ["documents"]]);
    assert.equal((await take(199, 1)).results[0].vulnerabilitiesChanged, 0);
  });
});
