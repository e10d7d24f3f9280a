import assert from "node:assert/strict";
import { before } from "node:test";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { onEachStore } from "./support/world/world.ts";

const ABOUT = { artifactType: "apk", artifactName: "openssl", artifactArchitecture: "x86_64" };
const FIXED = { timestamp: "2026-03-02T10:00:00.123Z", fixed: { fixedVersion: "3.1.4-r1" } };
const WRITES = ["advisories.create", "advisories.update", "advisories.list"];
const REVIEWS = ["advisories.update", "advisories.approve"];

onEachStore("the review of advisories", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  /** A group with an advisory, someone who writes, someone who reviews, and one who does both. */
  async function house(api: ApiClient) {
    const group = await world.group(org);
    const as = async (held: readonly string[]) => {
      const { uid, token } = await world.member({ [group]: held });
      return { uid, v1: api.as(token).v1 };
    };
    const [writer, reviewer, both] = [
      await as(WRITES),
      await as(REVIEWS),
      await as([...WRITES, ...REVIEWS]),
    ];
    const { id } = await writer.v1.advisories.create(group, ABOUT);
    return { id, writer, reviewer, both, api };
  }

  type House = Awaited<ReturnType<typeof house>>;
  const stored = async ({ id, writer }: House) =>
    (await writer.v1.advisoryEvents.list({ parentId: id })).items;

  world.rule("a new event is pending, and its author is the caller", async (api) => {
    const at = await house(api);
    const given = { ...FIXED, author: "somebody else", reviewer: "me", issue: "T-1" };
    const event = await at.writer.v1.advisoryEvents.create(at.id, given);
    assert.deepEqual(
      [event.author, event.reviewer, event.status, event.issue, event.timestamp],
      [at.writer.uid, "", "PENDING", "T-1", FIXED.timestamp],
    );
    assert.deepEqual(await stored(at), [event]);
    const untimed = await api.v1.advisoryEvents.create(at.id, { detection: { manual: {} } });
    assert.equal(untimed.author, OPERATOR_UID);
    assert.ok(Math.abs(Date.parse(untimed.timestamp) - Date.now()) < 600_000, "now");
    const early = { timestamp: "2020-01-01T00:00:00.000Z", truePositiveDetermination: {} };
    const first = await at.writer.v1.advisoryEvents.create(at.id, early);
    assert.deepEqual(
      (await stored(at)).map((one: { id: string }) => one.id),
      [first.id, event.id, untimed.id],
      "in the order in which they happened",
    );
  });

  world.rule("an event cannot be created as reviewed", async (api) => {
    const at = await house(api);
    for (const status of ["APPROVED", "REJECTED", "REQUEST_CHANGES"]) {
      const refusal = await rejected(at.both.v1.advisoryEvents.create(at.id, { ...FIXED, status }));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, ["advisoryEvent.status"]]);
    }
    assert.deepEqual(await stored(at), []);
  });

  world.rule("a review requires advisories.approve and another user", async (api) => {
    const at = await house(api);
    const event = await at.both.v1.advisoryEvents.create(at.id, FIXED);
    for (const status of ["APPROVED", "REJECTED", "REQUEST_CHANGES"]) {
      const own = await rejected(at.both.v1.advisoryEvents.update(event.id, { ...event, status }));
      assert.deepEqual([own.code, own.violations], [9, ["REVIEWER_IS_AUTHOR"]]);
      const claimed = { ...event, status, author: at.writer.uid, reviewer: at.reviewer.uid };
      const claim = await rejected(at.both.v1.advisoryEvents.update(event.id, claimed));
      assert.deepEqual([claim.code, claim.violations], [9, ["REVIEWER_IS_AUTHOR"]]);
      const without = await rejected(
        at.writer.v1.advisoryEvents.update(event.id, { ...event, status }),
      );
      assert.deepEqual([without.code, without.needs], [7, `advisories.approve at ${at.id}`]);
    }
    assert.deepEqual(await stored(at), [event], "nothing has changed");
    const approved = await at.reviewer.v1.advisoryEvents.update(event.id, {
      ...event,
      status: "APPROVED",
    });
    assert.deepEqual(approved, { ...event, status: "APPROVED", reviewer: at.reviewer.uid });
    const { events } = await api.advisories.get(at.id);
    assert.deepEqual(
      [events[0].reviewState, events[0].reviewer],
      ["REVIEW_STATE_APPROVED", at.reviewer.uid],
    );
    const operator = api.v1;
    const own = await operator.advisoryEvents.create(at.id, FIXED);
    const refusal = await rejected(
      operator.advisoryEvents.update(own.id, { ...own, status: "APPROVED" }),
    );
    assert.deepEqual(refusal.violations, ["REVIEWER_IS_AUTHOR"], "the operator is no exception");
  });

  world.rule("approved and rejected events are immutable", async (api) => {
    const at = await house(api);
    for (const decision of ["APPROVED", "REJECTED"]) {
      const event = await at.writer.v1.advisoryEvents.create(at.id, FIXED);
      const given = { ...event, status: decision };
      const decided = await at.reviewer.v1.advisoryEvents.update(event.id, given);
      const changes = ["PENDING", "REQUEST_CHANGES", "APPROVED", "REJECTED"]
        .filter((status) => status !== decision)
        .map((status) => ({ ...decided, status }));
      const says = { ...decided, fixed: { fixedVersion: "9" } };
      for (const change of [...changes, says, { ...decided, issue: "T-2" }]) {
        const refusal = await rejected(at.both.v1.advisoryEvents.update(event.id, change));
        assert.deepEqual([refusal.code, refusal.violations], [9, ["EVENT_REVIEWED"]]);
      }
      assert.deepEqual(
        await at.both.v1.advisoryEvents.update(event.id, decided),
        decided,
        "the same again",
      );
      assert.deepEqual((await stored(at)).at(-1), decided);
    }
  });

  world.rule("changes are requested, made, and reviewed again", async (api) => {
    const at = await house(api);
    const event = await at.writer.v1.advisoryEvents.create(at.id, FIXED);
    const asked = { ...event, status: "REQUEST_CHANGES" };
    const returned = await at.reviewer.v1.advisoryEvents.update(event.id, asked);
    assert.deepEqual(
      [returned.status, returned.reviewer, returned.author],
      ["REQUEST_CHANGES", at.reviewer.uid, at.writer.uid],
    );
    for (const status of ["APPROVED", "REJECTED"]) {
      const refusal = await rejected(
        at.reviewer.v1.advisoryEvents.update(event.id, { ...returned, status }),
      );
      assert.deepEqual([refusal.code, refusal.violations], [9, ["EVENT_NOT_PENDING"]]);
    }
    assert.deepEqual(await stored(at), [returned]);
    const first = { ...returned, fixed: { ...returned.fixed, fixedVersion: "3.1.4-r3" } };
    assert.deepEqual(
      await at.writer.v1.advisoryEvents.update(event.id, first),
      first,
      "changed, and still not what is to be reviewed",
    );
    const still = await rejected(
      at.reviewer.v1.advisoryEvents.update(event.id, { ...first, status: "APPROVED" }),
    );
    assert.deepEqual([still.code, still.violations], [9, ["EVENT_NOT_PENDING"]]);
    const { status: _, ...news } = { ...returned, fixed: { fixedVersion: "3.1.4-r2" } };
    const changed = await at.writer.v1.advisoryEvents.update(event.id, news);
    assert.deepEqual(
      [changed.status, changed.fixed.fixedVersion, changed.author],
      ["PENDING", "3.1.4-r2", at.writer.uid],
    );
    const old = await rejected(
      at.reviewer.v1.advisoryEvents.update(event.id, { ...event, status: "APPROVED" }),
    );
    assert.deepEqual([old.code, old.violations], [9, ["EVENT_CHANGED"]], "not what was reviewed");
    const verdict = { ...changed, status: "REJECTED" };
    const end = await at.reviewer.v1.advisoryEvents.update(event.id, verdict);
    assert.equal(end.status, "REJECTED");
    assert.deepEqual(await stored(at), [end]);
  });

  world.rule("a review has a reason, and all reviews of an event are kept", async (api) => {
    const at = await house(api);
    const event = await at.writer.v1.advisoryEvents.create(at.id, {
      ...FIXED,
      reviewReason: "mine",
    });
    assert.equal(event.reviewReason, undefined, "no review yet");
    const review = (one: object, status: string, reviewReason?: string) =>
      at.reviewer.v1.advisoryEvents.update(event.id, { ...one, status, reviewReason });
    const returned = await review(event, "REQUEST_CHANGES", "which build?");
    assert.equal(returned.reviewReason, "which build?");
    const edited = { ...returned, fixed: { ...returned.fixed, note: "the nightly one" } };
    const invalid = await rejected(
      at.writer.v1.advisoryEvents.update(event.id, { ...edited, reviewReason: "other" }),
    );
    assert.deepEqual([invalid.code, Object.keys(invalid.fields)], [3, ["reviewReason"]]);
    assert.deepEqual(await at.writer.v1.advisoryEvents.update(event.id, edited), edited);
    const again = await at.writer.v1.advisoryEvents.update(event.id, {
      ...edited,
      status: "PENDING",
    });
    assert.deepEqual([again.status, again.reviewReason], ["PENDING", undefined]);
    const long = await rejected(review(again, "APPROVED", "x".repeat(4_097)));
    assert.deepEqual([long.code, Object.keys(long.fields)], [3, ["reviewReason"]]);
    const approved = await review(again, "APPROVED", "verified");
    assert.deepEqual([approved.status, approved.reviewReason], ["APPROVED", "verified"]);
    const [stored] = (await api.advisories.get(at.id)).events;
    assert.equal(stored.reviewReason, "verified");
    const reviews = stored.reviews.map(({ time, ...rest }: { time: string }) => {
      assert.ok(Math.abs(Date.parse(time) - Date.now()) < 600_000);
      return rest;
    });
    const reviewer = at.reviewer.uid;
    assert.deepEqual(reviews, [
      { reviewer, state: "REVIEW_STATE_REQUEST_CHANGES", reason: "which build?" },
      { reviewer, state: "REVIEW_STATE_APPROVED", reason: "verified" },
    ]);
  });

  world.rule("a caller who changes an event becomes its author", async (api) => {
    const at = await house(api);
    const event = await at.writer.v1.advisoryEvents.create(at.id, FIXED);
    const news = { ...event, fixed: { fixedVersion: "3.1.4-r9" } };
    const both = { ...news, status: "APPROVED" };
    const refusal = await rejected(at.both.v1.advisoryEvents.update(event.id, both));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["EVENT_CHANGED"]]);
    const changed = await at.both.v1.advisoryEvents.update(event.id, news);
    assert.equal(changed.author, at.both.uid);
    const own = await rejected(
      at.both.v1.advisoryEvents.update(event.id, { ...changed, status: "APPROVED" }),
    );
    assert.deepEqual(own.violations, ["REVIEWER_IS_AUTHOR"]);
    const end = await at.reviewer.v1.advisoryEvents.update(event.id, {
      ...changed,
      status: "APPROVED",
    });
    assert.equal(end.status, "APPROVED");
  });

  world.rule("a PUT of an event resets omitted fields, except its time", async (api) => {
    const at = await house(api);
    const findings = Buffer.from('{"cve":1}').toString("base64");
    const fixed = { fixedVersion: "1", note: "so" };
    const event = await at.writer.v1.advisoryEvents.create(at.id, {
      ...FIXED,
      fixed,
      findings,
      issue: "T-1",
    });
    assert.equal(event.findings, findings);
    const put = await at.writer.v1.advisoryEvents.update(event.id, {
      fixed: { fixedVersion: "2" },
    });
    const { issue: _, ...rest } = event;
    const emptied = { ...event.fixed, fixedVersion: "2", note: "" };
    assert.deepEqual(put, { ...rest, findings: "", fixed: emptied });
    const other = await at.writer.v1.advisoryEvents.update(event.id, {
      ...{ patched: { patchedVersions: ["1", "2"] }, timestamp: "2026-03-01T00:00:00.000Z" },
    });
    assert.deepEqual(
      [other.fixed, other.patched.patchedVersions, other.timestamp],
      [undefined, ["1", "2"], "2026-03-01T00:00:00.000Z"],
    );
    const timestamp = new Date(Date.now() + 3_600_000).toISOString();
    const cases: [field: string, event: object][] = [
      ["type", { timestamp: FIXED.timestamp }],
      ["timestamp", { ...FIXED, timestamp }],
      ["fixed.fixedVersion", { fixed: { fixedVersion: "x".repeat(4_097) } }],
      ["patched.patchedVersions", { patched: { patchedVersions: new Array(1_001).fill("1") } }],
      ["findings", { ...FIXED, findings: Buffer.alloc(65_537).toString("base64") }],
    ];
    for (const [field, given] of cases) {
      const refusal = await rejected(at.writer.v1.advisoryEvents.update(event.id, given));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, [field]]);
    }
    assert.deepEqual(await stored(at), [other]);
  });

  world.rule("an unknown event is not found", async (api) => {
    const at = await house(api);
    const nowhere = `${at.id}/0123456789abcdef`;
    const none = await rejected(at.writer.v1.advisoryEvents.update(nowhere, FIXED));
    assert.deepEqual([none.code, none.missing], [5, `AdvisoryEvent ${nowhere}`]);
    const beside = `${at.id.slice(0, -1)}${at.id.endsWith("0") ? "1" : "0"}`;
    const refusals = await allRejected([
      at.writer.v1.advisoryEvents.update(`${beside}/0123456789abcdef`, FIXED),
      at.writer.v1.advisoryEvents.create(beside, FIXED),
    ]);
    assert.deepEqual(
      (await at.writer.v1.advisoryEvents.list({ parentId: beside })).items,
      [],
      "a list is never an error",
    );
    for (const { code, missing } of refusals) {
      assert.deepEqual([code, missing], [5, `Advisory ${beside}`]);
    }
  });

  world.rule("v1 keeps component moves", async (api) => {
    const at = await house(api);
    const componentLocationChanged = { previousLocation: "/a", newLocation: "/b", note: "" };
    const given = { timestamp: FIXED.timestamp, componentLocationChanged };
    const event = await at.writer.v1.advisoryEvents.create(at.id, given);
    assert.deepEqual(event.componentLocationChanged, componentLocationChanged);
    assert.deepEqual(await stored(at), [event]);
    const { events } = await api.advisories.get(at.id);
    assert.deepEqual(events[0].componentLocationChanged, componentLocationChanged);
  });

  world.rule("of concurrent reviews, one succeeds", async (api) => {
    const at = await house(api);
    const event = await at.writer.v1.advisoryEvents.create(at.id, FIXED);
    const decisions = [
      at.reviewer.v1.advisoryEvents.update(event.id, { ...event, status: "APPROVED" }),
      at.both.v1.advisoryEvents.update(event.id, { ...event, status: "REJECTED" }),
    ];
    const outcomes = await Promise.allSettled(decisions);
    const [won, ...others] = outcomes.filter(({ status }) => status === "fulfilled");
    assert.ok(won?.status === "fulfilled" && others.length === 0);
    assert.deepEqual(await stored(at), [won.value]);
  });
});
