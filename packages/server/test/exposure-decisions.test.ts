import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { ExposureWorld } from "./support/exposure/exposure-world.ts";
import { osv } from "./support/exposure/osv-records.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

const AUTHOR = ["advisories.create", "advisories.update", "advisories.delete", "advisories.list"];
const REVIEWER = ["advisories.approve", "advisories.update", "advisories.list"];

const NOT_AFFECTED = {
  vulnerability: "CVE-2026-7001",
  status: "FINDING_STATUS_NOT_AFFECTED",
  justification: "vulnerable_code_not_in_execute_path",
};

onEachStore("decisions about vulnerabilities", (world) => {
  let exposure: ExposureWorld;
  let org: string;
  before(async () => {
    exposure = await ExposureWorld.open(world);
    org = await world.organization();
  });
  after(() => exposure.close());

  interface Place {
    readonly group: string;
    readonly repo: string;
    readonly purl: string;
    readonly image: string;
    readonly author: ApiClient;
    readonly reviewer: ApiClient;
  }

  /** A group with an author and a reviewer, and an affected image. */
  async function place(api: ApiClient): Promise<Place> {
    const group = await world.group(org);
    const repo = (await api.repos.create(group, { name: world.name("repo") })).uid;
    const name = world.name("package");
    const purl = `pkg:npm/${name}@1.0.0`;
    const image = await exposure.image({ repo, packages: [purl, `pkg:npm/${name}-more@1.0.0`] });
    const record = (id: string, one: string) =>
      osv(id, "npm", one, "2.0.0", { aliases: ["CVE-2026-7001"] });
    await exposure.importOsv(group, record(world.name("OSV-1"), name));
    await exposure.importOsv(group, record(world.name("OSV-2"), `${name}-more`));
    await exposure.drain();
    const [author, reviewer] = [
      await world.member({ [group]: AUTHOR }),
      await world.member({ [group]: REVIEWER }),
    ];
    return { group, repo, purl, image, author: as(api, author), reviewer: as(api, reviewer) };
  }

  function as(api: ApiClient, { token }: { token: string }): ApiClient {
    return api.as(token);
  }

  /** Creates and approves a decision. */
  async function decided(at: Place, parent: string, decision: object): Promise<string> {
    const { uid } = await at.author.decisions.create(parent, decision);
    await at.reviewer.decisions.reviewDecision({ uid, state: "DECISION_REVIEW_STATE_APPROVED" });
    await exposure.drain();
    return uid;
  }

  async function statusOf(at: Place): Promise<number[]> {
    return (await exposure.findings(at.image)).map(({ status }) => status);
  }

  world.rule(
    "a decision has effect from its approval by somebody else until it is deleted",
    async (api) => {
      const at = await place(api);
      const created = await at.author.decisions.create(at.group, NOT_AFFECTED);
      assert.equal(created.reviewState, "DECISION_REVIEW_STATE_PENDING");
      await exposure.drain();
      assert.deepEqual(await statusOf(at), [1, 1]);
      const approval = { state: "DECISION_REVIEW_STATE_APPROVED", reason: "agreed" };
      const approved = await at.reviewer.decisions.reviewDecision({
        uid: created.uid,
        ...approval,
      });
      assert.equal(approved.reviewState, "DECISION_REVIEW_STATE_APPROVED");
      assert.equal(approved.reviewReason, "agreed");
      await exposure.drain();
      assert.deepEqual(await statusOf(at), [2, 2]);
      const [finding] = await exposure.findings(at.image);
      const { decision, origin, justification } = finding?.detail.decision ?? {};
      assert.deepEqual([decision, origin], [created.uid, 1]);
      assert.equal(justification, NOT_AFFECTED.justification);
      assert.deepEqual((await exposure.counts(at.image)).stored, [
        { severity: 0, open: 0, fixable: 0, suppressed: 2 },
      ]);
      await at.author.decisions.delete(created.uid);
      await exposure.drain();
      assert.deepEqual(await statusOf(at), [1, 1]);
    },
  );

  world.rule("nobody approves a decision of their own, by no way", async (api) => {
    const at = await place(api);
    const both = as(api, await world.member({ [at.group]: [...AUTHOR, "advisories.approve"] }));
    const { uid } = await both.decisions.create(at.group, {
      ...NOT_AFFECTED,
      reviewState: "DECISION_REVIEW_STATE_APPROVED",
      author: "f5547917312ba9948224a9479d300a77530ee2a2",
    });
    const approval = { state: "DECISION_REVIEW_STATE_APPROVED" };
    const own = await rejected(both.decisions.reviewDecision({ uid, ...approval }));
    assert.deepEqual([own.code, own.violations], [9, ["REVIEWER_IS_AUTHOR"]]);
    const forged = await both.decisions.update(uid, {
      reviewState: "DECISION_REVIEW_STATE_APPROVED",
      author: "somebody",
    });
    assert.equal(forged.reviewState, "DECISION_REVIEW_STATE_PENDING");
    // An approved text that is changed is another text, with another author.
    await at.reviewer.decisions.reviewDecision({ uid, ...approval });
    const edited = await at.reviewer.decisions.update(uid, { reason: "for another reason" });
    assert.equal(edited.reviewState, "DECISION_REVIEW_STATE_PENDING");
    const again = await rejected(at.reviewer.decisions.reviewDecision({ uid, ...approval }));
    assert.deepEqual(again.violations, ["REVIEWER_IS_AUTHOR"]);
    await exposure.drain();
    assert.deepEqual(await statusOf(at), [1, 1]);
    await both.decisions.reviewDecision({ uid, ...approval });
    await exposure.drain();
    assert.deepEqual(await statusOf(at), [2, 2]);
    const denied = await rejected(at.author.decisions.reviewDecision({ uid, ...approval }));
    assert.equal(denied.code, 7);
  });

  world.rule("the nearest decision wins, then the one about less", async (api) => {
    const at = await place(api);
    await decided(at, at.group, NOT_AFFECTED);
    assert.deepEqual(await statusOf(at), [2, 2]);
    const { justification: _, ...rest } = NOT_AFFECTED;
    await decided(at, at.repo, { ...rest, status: "FINDING_STATUS_AFFECTED" });
    assert.deepEqual(await statusOf(at), [1, 1]);
    await decided(at, at.repo, {
      ...rest,
      status: "FINDING_STATUS_FIXED",
      package: at.purl.replace("@1.0.0", ""),
    });
    const found = await exposure.findings(at.image);
    assert.deepEqual(found.map(({ purl, status }) => [purl === at.purl, status]).sort(), [
      [false, 1],
      [true, 3],
    ]);
    const { detail } = found.find(({ purl }) => purl === at.purl) ?? {};
    assert.deepEqual(
      detail?.others?.map(({ status }) => status),
      [1, 2],
    );
  });

  world.rule(
    "a decision may be about one image, by its digest or that of its index",
    async (api) => {
      const at = await place(api);
      const index = `sha256:${"ab".repeat(32)}`;
      const other = await exposure.image({ repo: at.repo, packages: [at.purl], indexes: [index] });
      await decided(at, at.repo, { ...NOT_AFFECTED, digest: at.image });
      assert.deepEqual(await statusOf(at), [2, 2]);
      assert.equal((await exposure.findings(other))[0]?.status, 1);
      await decided(at, at.repo, { ...NOT_AFFECTED, digest: index });
      assert.equal((await exposure.findings(other))[0]?.status, 2);
    },
  );

  world.rule("an accepted risk is affected again after its time", async (api) => {
    const at = await place(api);
    const expires = Date.now() + 2_000;
    await decided(at, at.group, {
      vulnerability: "CVE-2026-7001",
      status: "FINDING_STATUS_ACCEPTED",
      reason: "until the rebuild",
      expireTime: new Date(expires).toISOString(),
    });
    assert.deepEqual(await statusOf(at), [5, 5]);
    await until(async () => Date.now() > expires);
    await exposure.drain();
    assert.deepEqual(await statusOf(at), [1, 1]);
  });

  world.rule("invalid decisions are rejected, each with all that is wrong", async (api) => {
    const group = await world.group(org);
    const fields = async (decision: object) =>
      Object.keys((await rejected(api.decisions.create(group, decision))).fields);
    const vulnerability = "CVE-2026-7001";
    const status = "FINDING_STATUS_ACCEPTED";
    assert.deepEqual(await fields({ vulnerability, status, package: "left-pad" }), [
      "package",
      "expireTime",
    ]);
    assert.deepEqual(await fields({ vulnerability, status: "FINDING_STATUS_UNKNOWN" }), ["status"]);
    assert.deepEqual(await fields({ vulnerability, status: "FINDING_STATUS_NOT_AFFECTED" }), [
      "reason",
    ]);
    const expireTime = "2020-01-01T00:00:00Z";
    assert.deepEqual(await fields({ vulnerability: " x", status, expireTime }), [
      "vulnerability",
      "expireTime",
    ]);
    const { justification } = NOT_AFFECTED;
    const affected = "FINDING_STATUS_AFFECTED";
    assert.deepEqual(await fields({ vulnerability, status: affected, justification }), [
      "justification",
    ]);
    const nowhere = `${group}/0123456789abcdef`;
    assert.equal((await rejected(api.decisions.create(nowhere, NOT_AFFECTED))).code, 5);
  });

  world.rule("decisions are deleted with their repo, and remain below groups", async (api) => {
    const at = await place(api);
    await decided(at, at.repo, NOT_AFFECTED);
    await decided(at, at.group, NOT_AFFECTED);
    await api.repos.delete(at.repo);
    const { decisions } = await api.decisions.list({ uidp: { descendantsOf: at.group } });
    assert.equal(decisions.length, 1);
    const refused = await rejected(api.groups.delete(at.group));
    assert.equal(refused.code, 9);
  });
});
