import assert from "node:assert/strict";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { type Member, onEachStore } from "./support/world/world.ts";

const TIME = "2026-03-02T00:00:00.000Z";
const WRITER = ["advisories.create", "advisories.update", "advisories.list"];

/** A document of one advisory whose author, the document says, is someone else. */
const document = (fixedVersion: string, more: object = {}) => {
  const event = {
    createTime: TIME,
    author: "vendor@example.com",
    fixed: { fixedVersion },
    ...more,
  };
  const about = { artifactType: "apk", artifactName: "openssl", aliases: ["CVE-2026-0001"] };
  return { name: "x", advisories: [{ advisoryId: "CGA-1", ...about, events: [event] }] };
};

onEachStore("review of imported events", (world) => {
  interface Cast {
    readonly group: string;
    /** Creates and updates. */
    readonly writer: Member;
    /** Holds the right to approve as well. */
    readonly approver: Member;
  }

  async function cast(): Promise<Cast> {
    const group = await world.organization();
    const [writer, approver] = [
      await world.member({ [group]: WRITER }),
      await world.member({ [group]: [...WRITER, "advisories.approve"] }),
    ];
    return { group, writer, approver };
  }

  async function take(api: ApiClient, group: string, given: object): Promise<number[]> {
    const foreseen = await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [given],
      validateOnly: true,
    });
    const { results } = await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [given],
    });
    assert.deepEqual(results, foreseen.results);
    const [{ created, changed, unchanged, pendingEvents }] = results;
    return [created, changed, unchanged, pendingEvents];
  }

  async function eventOf(api: ApiClient, group: string) {
    const { advisories } = await api.advisories.list({ uidp: { childrenOf: group } });
    const [event] = advisories[0].events;
    return event;
  }

  const reviewOf = async (api: ApiClient, group: string) => {
    const { reviewState, author, reviewer, fixed } = await eventOf(api, group);
    return [reviewState, author, reviewer, fixed.fixedVersion];
  };

  world.rule("without advisories.approve, imported events are pending", async (api) => {
    const { group, writer } = await cast();
    const by = api.as(writer.token);
    const states = ["UNSPECIFIED", "APPROVED", "REJECTED", "REQUEST_CHANGES"];
    for (const [at, state] of states.entries()) {
      const given = document(`${at}`, { reviewState: `REVIEW_STATE_${state}`, reviewer: "x" });
      const expected = at === 0 ? [1, 0, 0, 1] : [0, 1, 0, 1];
      assert.deepEqual(await take(by, group, given), expected);
      assert.deepEqual(await reviewOf(by, group), [
        "REVIEW_STATE_PENDING",
        writer.uid,
        "",
        `${at}`,
      ]);
    }
    const latest = { uidp: { childrenOf: group }, latestEventType: "EVENT_TYPE_FILTER_FIXED" };
    assert.equal((await by.advisories.list(latest)).totalCount, "0", "it does not count yet");
    const again = document("3");
    assert.deepEqual(await take(by, group, again), [0, 0, 1, 0], "the same again changes nothing");
    const audit = `SELECT actor, detail FROM audit WHERE resource = '${group}' AND method LIKE '%ImportAdvisories' ORDER BY id`;
    const rows = await rawRows<{ actor: string; detail: string }>(world.server, audit);
    assert.deepEqual(
      rows.map(({ actor, detail }) => [actor, JSON.parse(detail).pendingEvents]),
      states.map(() => [writer.uid, 1]),
    );
  });

  world.rule(
    "another user can approve them, regardless of the author in the document",
    async (api) => {
      const { group, writer, approver } = await cast();
      await take(api.as(writer.token), group, document("1"));
      // From now on the importer holds the right, too: what they brought in stays theirs.
      await world.bind(group, writer.uid, ["advisories.approve"]);
      const { uid } = await eventOf(api, group);
      const approve = async (token: string) => {
        const v1 = api.as(token).v1;
        const [event] = (
          await v1.advisoryEvents.list({ parentId: uid.slice(0, uid.lastIndexOf("/")) })
        ).items;
        return v1.advisoryEvents.update(uid, { ...event, status: "APPROVED" });
      };
      const refusal = await rejected(approve(writer.token));
      assert.deepEqual([refusal.code, refusal.violations], [9, ["REVIEWER_IS_AUTHOR"]]);
      const again = document("1", { reviewState: "REVIEW_STATE_APPROVED" });
      assert.deepEqual(await take(api.as(writer.token), group, again), [0, 0, 1, 0]);
      assert.deepEqual(await reviewOf(api, group), ["REVIEW_STATE_PENDING", writer.uid, "", "1"]);
      await approve(approver.token);
      const approved = ["REVIEW_STATE_APPROVED", writer.uid, approver.uid, "1"];
      assert.deepEqual(await reviewOf(api, group), approved);
    },
  );

  world.rule("importing does not approve your own events", async (api) => {
    const { group, writer, approver } = await cast();
    const own = api.as(approver.token);
    const v1 = own.v1;
    const { advisoryId: _, ...about } = document("1").advisories[0] ?? {};
    const fixed = { timestamp: TIME, fixed: { fixedVersion: "1" } };
    const { id } = await v1.advisories.create(group, {
      ...about,
      advisoryId: "CGA-1",
      events: [fixed],
    });
    assert.deepEqual(await take(own, group, document("1")), [0, 0, 1, 0]);
    assert.deepEqual(await take(own, group, document("2")), [0, 1, 0, 1], "repeated, not approved");
    assert.deepEqual(await reviewOf(api, group), ["REVIEW_STATE_PENDING", approver.uid, "", "2"]);
    const [event] = (await v1.advisoryEvents.list({ parentId: id })).items;
    const other = api.v1;
    await other.advisoryEvents.update(event.id, { ...event, status: "REQUEST_CHANGES" });
    assert.deepEqual(await take(own, group, document("3")), [0, 1, 0, 1]);
    assert.equal((await reviewOf(api, group))[0], "REVIEW_STATE_PENDING");
    // Brought in by someone else who may approve, it is reviewed where it comes from.
    await world.bind(group, writer.uid, ["advisories.approve"]);
    assert.deepEqual(await take(api.as(writer.token), group, document("3")), [0, 1, 0, 0]);
    const approved = ["REVIEW_STATE_APPROVED", approver.uid, "", "3"];
    assert.deepEqual(await reviewOf(api, group), approved);
  });

  world.rule("with advisories.approve, imported events are approved immediately", async (api) => {
    const { group, approver } = await cast();
    assert.deepEqual(await take(api.as(approver.token), group, document("1")), [1, 0, 0, 0]);
    const approved = ["REVIEW_STATE_APPROVED", "vendor@example.com", "", "1"];
    assert.deepEqual(await reviewOf(api, group), approved);
  });

  world.rule("without it, approved events are neither changed nor reverted", async (api) => {
    const { group, writer, approver } = await cast();
    await take(api.as(approver.token), group, document("1"));
    assert.deepEqual(await take(api.as(writer.token), group, document("2")), [0, 0, 1, 0]);
    const approved = ["REVIEW_STATE_APPROVED", "vendor@example.com", "", "1"];
    assert.deepEqual(await reviewOf(api, group), approved);
  });

  world.rule("a caller who changes another's event becomes its author", async (api) => {
    const { group, writer, approver } = await cast();
    const draft = document("1", { reviewState: "REVIEW_STATE_PENDING" });
    assert.deepEqual(await take(api.as(approver.token), group, draft), [1, 0, 0, 1]);
    assert.deepEqual(await take(api.as(writer.token), group, draft), [0, 0, 1, 0]);
    const before = ["REVIEW_STATE_PENDING", "vendor@example.com", "", "1"];
    assert.deepEqual(await reviewOf(api, group), before);
    assert.deepEqual(await take(api.as(writer.token), group, document("2")), [0, 1, 0, 1]);
    assert.deepEqual(await reviewOf(api, group), ["REVIEW_STATE_PENDING", writer.uid, "", "2"]);
  });

  world.rule("importing the same event does not answer requested changes", async (api) => {
    const { group, writer, approver } = await cast();
    await take(api.as(writer.token), group, document("1"));
    const { uid } = await eventOf(api, group);
    const v1 = api.as(approver.token).v1;
    const [event] = (await v1.advisoryEvents.list({ parentId: uid.slice(0, uid.lastIndexOf("/")) }))
      .items;
    await v1.advisoryEvents.update(uid, { ...event, status: "REQUEST_CHANGES" });
    for (const { token } of [writer, approver]) {
      assert.deepEqual(await take(api.as(token), group, document("1")), [0, 0, 1, 0]);
      const asked = ["REVIEW_STATE_REQUEST_CHANGES", writer.uid, approver.uid, "1"];
      assert.deepEqual(await reviewOf(api, group), asked);
    }
    assert.deepEqual(await take(api.as(writer.token), group, document("2")), [0, 1, 0, 1]);
    assert.deepEqual(await reviewOf(api, group), ["REVIEW_STATE_PENDING", writer.uid, "", "2"]);
  });
});
