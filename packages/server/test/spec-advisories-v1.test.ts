import assert from "node:assert/strict";
import { before } from "node:test";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { ABOUT } from "./support/world/advisories.ts";
import { onEachStore } from "./support/world/world.ts";

const DETECTED = {
  timestamp: "2026-03-01T00:00:00.000Z",
  detection: { scanv1: { scanner: "grype", subpackageName: "libssl3", componentName: "openssl" } },
};
const FIXED = { timestamp: "2026-03-02T10:00:00.123Z", fixed: { fixedVersion: "3.1.4-r1" } };

onEachStore("v1 advisories", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  world.rule("an advisory is created, and both versions show it", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const given = { ...ABOUT, legacyAdvisoryID: "OLD-1", events: [FIXED, DETECTED] };
    const made = await v1.advisories.create(group, given);
    assert.match(made.id, new RegExp(`^${group}/[0-9a-f]{16}$`));
    assert.match(made.advisoryId, /^CGA(-[2-9cfghjmpqrvwx]{4}){3}$/);
    const { id, advisoryId, createdAt, events } = made;
    assert.deepEqual(made, {
      ...{ id, advisoryId, ...ABOUT, legacyAdvisoryID: "OLD-1", author: OPERATOR_UID },
      ...{ createdAt, updatedAt: createdAt, events },
    });
    const [first, second] = events;
    assert.match(first.id, new RegExp(`^${id}/[0-9a-f]{16}$`));
    assert.deepEqual([first.timestamp, second.timestamp], [DETECTED.timestamp, FIXED.timestamp]);
    const rest = { findings: "", author: OPERATOR_UID, reviewer: "", status: "PENDING" };
    const { fixedVersion } = FIXED.fixed;
    const fixed = {
      fixedVersion,
      note: "",
      scannerVersion: "",
      grypeDbBuilt: "",
      grypeDbChecksum: "",
    };
    assert.deepEqual(second, { id: second.id, timestamp: FIXED.timestamp, fixed, ...rest });
    assert.deepEqual((await v1.advisories.list({ id })).items, [made]);
    assert.deepEqual((await v1.advisoryEvents.list({ parentId: id })).items, events);
    const other = await api.advisories.get(id);
    assert.deepEqual(
      [other.uid, other.advisoryId, other.legacyAdvisoryId, other.componentName, other.aliases],
      [id, advisoryId, "OLD-1", ABOUT.componentName, ABOUT.aliases],
    );
    const [seen] = other.events;
    assert.equal(seen.reviewState, "REVIEW_STATE_PENDING");
    const { subpackage, component, scanner } = seen.detection.scanv1;
    assert.deepEqual([subpackage, component, scanner], ["libssl3", "openssl", "grype"]);
  });

  world.rule("an id can be given, and is unique in a group", async (api) => {
    const v1 = api.v1;
    const [group, beside] = [await world.group(org), await world.group(org)];
    const given = { ...ABOUT, advisoryId: "CGA-mine" };
    const made = await v1.advisories.create(group, given);
    assert.equal(made.advisoryId, "CGA-mine");
    assert.equal((await rejected(v1.advisories.create(group, given))).code, 6);
    await v1.advisories.delete(made.id);
    assert.equal(
      (await rejected(v1.advisories.create(group, given))).code,
      6,
      "not even once it is deleted",
    );
    assert.equal((await v1.advisories.create(beside, given)).advisoryId, "CGA-mine");
  });

  world.rule("a location may list very many places", async (api) => {
    const group = await world.group(org);
    const componentLocation = Array.from(
      { length: 850 },
      (_, at) => `/usr/lib/node_${at}/x`,
    ).join();
    const made = await api.v1.advisories.create(group, { ...ABOUT, componentLocation });
    assert.equal(made.componentLocation, componentLocation);
    const [listed] = (await api.advisories.list({ uidp: { childrenOf: group } })).advisories;
    assert.equal(listed.componentLocation, componentLocation);
  });

  world.rule("invalid fields are rejected", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const event = (one: object) => ({ ...ABOUT, events: [DETECTED, one] });
    const cases: [field: string, advisory: object][] = [
      ["artifactName", { ...ABOUT, artifactName: "" }],
      ["artifactType", { ...ABOUT, artifactType: "" }],
      ["artifactType", { ...ABOUT, artifactType: " " }],
      ["artifactType", { ...ABOUT, artifactType: "akp" }],
      ["aliases[0]", { ...ABOUT, aliases: [""] }],
      ["aliases[1]", { ...ABOUT, aliases: ["CVE-2026-0001", " "] }],
      ["componentLocation", { ...ABOUT, componentLocation: "x".repeat(65_537) }],
      ["advisoryId", { ...ABOUT, advisoryId: "x".repeat(257) }],
      ["aliases", { ...ABOUT, aliases: Array.from({ length: 2_001 }, (_, at) => `CVE-${at}`) }],
      ["events[1].type", event({ timestamp: FIXED.timestamp })],
      ["events[1].timestamp", event({ ...FIXED, timestamp: future })],
      ["events[1].status", event({ ...FIXED, status: "APPROVED" })],
      ["events[1].fixed.note", event({ fixed: { note: "x".repeat(4_097) } })],
      ["events", { ...ABOUT, events: new Array(1_001).fill(FIXED) }],
    ];
    for (const [field, advisory] of cases) {
      const { code, fields } = await rejected(v1.advisories.create(group, advisory));
      assert.deepEqual([code, Object.keys(fields)], [3, [`advisory.${field}`]]);
    }
    assert.equal((await v1.advisories.list({ uidp: { childrenOf: group } })).totalCount, "0");
    const nowhere = `${group}/0123456789abcdef`;
    assert.equal(
      (await rejected(v1.advisories.create(nowhere, ABOUT))).missing,
      `Group ${nowhere}`,
    );
  });

  world.rule("a PUT replaces the fields of an advisory, and keeps its events", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const given = { ...ABOUT, legacyAdvisoryID: "OLD-1", events: [DETECTED] };
    const made = await v1.advisories.create(group, given);
    const { id, advisoryId } = made;
    const put = await v1.advisories.update(id, {
      ...{ artifactType: "image", artifactName: "nginx", author: "someone", events: [] },
      ...{ aliases: ["CVE-2026-0002", "CVE-2026-0002"] },
    });
    const { updatedAt } = put;
    assert.ok(updatedAt >= made.updatedAt);
    const empty = { componentName: "", componentLocation: "", componentType: "" };
    assert.deepEqual(put, {
      ...{ id, advisoryId, author: made.author, events: made.events },
      ...{ artifactType: "image", artifactName: "nginx", artifactArchitecture: "", ...empty },
      ...{ aliases: ["CVE-2026-0002"], createdAt: made.createdAt, updatedAt },
    });
    assert.equal("legacyAdvisoryID" in put, false);
    assert.deepEqual(await v1.advisories.update(id, put), put, "the same again changes nothing");
    assert.deepEqual((await v1.advisories.list({ id })).items, [put]);
    const another = await rejected(v1.advisories.update(id, { ...put, advisoryId: "CGA-other" }));
    assert.deepEqual([another.code, Object.keys(another.fields)], [3, ["advisoryId"]]);
    assert.deepEqual(Object.keys((await rejected(v1.advisories.update(id, {}))).fields), [
      "artifactType",
      "artifactName",
    ]);
    for (const [field, bad] of [
      ["aliases[0]", { aliases: [""] }],
      ["artifactType", { artifactType: "none" }],
    ] as const) {
      const invalid = await rejected(v1.advisories.update(id, { ...put, ...bad }));
      assert.deepEqual([invalid.code, Object.keys(invalid.fields)], [3, [field]]);
    }
    const nowhere = `${group}/0123456789abcdef`;
    assert.equal(
      (await rejected(v1.advisories.update(nowhere, put))).missing,
      `Advisory ${nowhere}`,
    );
    assert.deepEqual((await v1.advisories.list({ id })).items, [put]);
  });

  world.rule("deleted advisories are listed as tombstones only", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const uidp = { childrenOf: group };
    const made = await v1.advisories.create(group, { ...ABOUT, events: [DETECTED] });
    await v1.advisories.create(group, ABOUT);
    assert.deepEqual(await v1.advisories.delete(made.id), {});
    assert.deepEqual((await v1.advisories.list({ id: made.id })).items, []);
    assert.equal((await v1.advisories.list({ uidp })).totalCount, "1");
    const changes = await api.advisories.list({ uidp, updatedSince: made.updatedAt });
    const gone = changes.advisories.find((one: { uid: string }) => one.uid === made.id);
    assert.ok(gone.deleteTime);
    assert.equal(gone.deleteTime, gone.updateTime);
    assert.deepEqual(await v1.advisories.delete(made.id), {}, "again");
    const again = await api.advisories.list({ uidp, showDeleted: true });
    assert.deepEqual(
      again.advisories.find((one: { uid: string }) => one.uid === made.id),
      gone,
    );
    const missing = `Advisory ${made.id}`;
    assert.equal((await rejected(v1.advisories.update(made.id, ABOUT))).missing, missing);
    assert.equal((await rejected(v1.advisoryEvents.create(made.id, FIXED))).missing, missing);
    assert.deepEqual(await v1.advisoryEvents.list({ parentId: made.id }), {
      parentId: made.id,
      items: [],
    });
    const event = made.events[0];
    assert.equal((await rejected(v1.advisoryEvents.update(event.id, event))).missing, missing);
    const nowhere = `${group}/0123456789abcdef`;
    assert.equal((await rejected(v1.advisories.delete(nowhere))).missing, `Advisory ${nowhere}`);
  });

  world.rule("changes leave events and audit rows", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const { id } = await v1.advisories.create(group, ABOUT);
    const event = await v1.advisoryEvents.create(id, FIXED);
    await v1.advisoryEvents.update(event.id, { ...event, issue: "T-1" });
    const put = await v1.advisories.update(id, { ...ABOUT, artifactName: "other" });
    await v1.advisories.update(id, put);
    await v1.advisories.delete(id);
    await v1.advisories.delete(id);
    await rejected(v1.advisoryEvents.create(id, FIXED));
    const sql = `SELECT type, group_uid FROM events WHERE subject = '${id}' ORDER BY id`;
    assert.deepEqual(
      (await rawRows<Record<string, string>>(world.server, sql)).map((row) => ({ ...row })),
      ["advisory.created", "advisory_event.created", "advisory_event.updated"]
        .concat("advisory.updated", "advisory.deleted")
        .map((type) => ({ type: `vulnerabilities.${type}.v1`, group_uid: group })),
    );
    const audit = `SELECT method FROM audit WHERE resource = '${id}' ORDER BY id`;
    const methods = await rawRows<{ method: string }>(world.server, audit);
    assert.deepEqual(
      methods.map(({ method }) => method.split("/")[1]),
      ["Create", "CreateAdvisoryEvent", "UpdateAdvisoryEvent", "Update", "Delete"],
    );
  });

  world.rule("each method requires its own capability", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const made = await v1.advisories.create(group, { ...ABOUT, events: [DETECTED] });
    const event = made.events[0];
    const as = async (...held: string[]) => {
      const member = await world.member({ [group]: held });
      return { uid: member.uid, v1: api.as(member.token).v1 };
    };
    const calls = {
      "advisories.create": (by: ApiClient) => [
        by.advisories.create(group, ABOUT),
        by.advisoryEvents.create(made.id, FIXED),
      ],
      "advisories.update": (by: ApiClient) => [
        by.advisories.update(made.id, ABOUT),
        by.advisoryEvents.update(event.id, event),
      ],
      "advisories.list": (by: ApiClient) => [by.advisoryEvents.list({ parentId: made.id })],
      "advisories.delete": (by: ApiClient) => [by.advisories.delete(made.id)],
    };
    for (const lacking of Object.keys(calls) as (keyof typeof calls)[]) {
      const others = Object.keys(calls).filter((one) => one !== lacking);
      const by = await as(...others, "advisories.approve");
      for (const { code, needs } of await allRejected(calls[lacking](by.v1))) {
        assert.deepEqual([code, needs.split(" ")[0]], [7, lacking]);
      }
    }
    const blind = await as("advisories.create");
    assert.deepEqual((await blind.v1.advisories.list({ id: made.id })).items, []);
    for (const [capability, send] of Object.entries(calls)) {
      await Promise.all(send((await as(capability)).v1));
    }
  });
});
