import assert from "node:assert/strict";
import { before, test } from "node:test";
import { AccessService } from "@wharf/contract";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { type Member, onEachStore } from "./support/world/world.ts";

interface Check {
  readonly resource: string;
  readonly capability?: string;
  readonly identity?: string;
}

const batch = async (api: ApiClient, checks: readonly Check[]): Promise<Answer[]> =>
  (
    await api.call(AccessService, "BatchCheckAccess", {
      checks: checks.map((check) => ({ capability: "CAP_REPO_LIST", ...check })),
    })
  ).results;
const decision = (api: ApiClient, check: Check) =>
  api.call(AccessService, "CheckAccess", {
    ...{ capability: "CAP_REPO_LIST", view: "DECISION", ...check },
  });

/** A result as the single method has it, explained or not: the decision, or its error. */
async function single(api: ApiClient, check: Check): Promise<unknown> {
  const [explained, decided] = await Promise.all(
    [undefined, "DECISION"].map(async (view) => {
      try {
        const request = { capability: "CAP_REPO_LIST", ...check, ...(view && { view }) };
        return (await api.call(AccessService, "CheckAccess", request)).allowed;
      } catch (error) {
        const { code, message } = error as Answer;
        return { code, message };
      }
    }),
  );
  assert.deepEqual(decided, explained);
  return explained;
}

const short = ({ allowed, error }: Answer) =>
  error ? { code: error.code, message: error.message } : allowed;

onEachStore("decisions about access", (world) => {
  let org: string;
  let folder: string;
  let owner: Member;
  let viewer: Member;
  let stranger: Member;
  before(async () => {
    org = await world.organization("acme");
    folder = await world.group(org, "web");
    owner = await world.member({ [org]: "owner" });
    viewer = await world.member({ [folder]: "viewer" });
    stranger = await world.member({ [await world.organization()]: "owner" });
  });

  world.rule("a decision has nothing but itself", async (api) => {
    for (const [member, allowed] of [
      [viewer, true],
      [stranger, false],
    ] as const) {
      const own = await decision(api.as(member.token), { resource: folder });
      const seen = await decision(api, { resource: folder, identity: member.uid });
      for (const answer of [own, seen]) {
        const { reason, grants, token, remedy, hiddenGrant, public: isPublic } = answer;
        assert.deepEqual([answer.allowed, answer.identity], [allowed, member.uid]);
        assert.deepEqual([reason, grants, hiddenGrant, isPublic], ["", [], false, false]);
        assert.deepEqual([token ?? null, remedy ?? null], [null, null]);
      }
    }
  });

  world.rule("a decision is that of the token", async (api) => {
    const aud = world.server.url;
    const { token } = await exchange(aud, owner.token, { aud, cap: "repo.list" });
    const asScoped = api.as(token);
    const checks = ["CAP_REPO_LIST", "CAP_TAG_DELETE"].map((capability) => {
      return { resource: org, capability };
    });
    assert.deepEqual((await batch(asScoped, checks)).map(short), [true, false]);
    for (const [at, check] of checks.entries()) {
      assert.equal((await decision(asScoped, check)).allowed, at === 0);
    }
  });

  world.rule("a change of access counts at once", async (api) => {
    const member = await world.member();
    const asMember = api.as(member.token);
    const read = async () => [
      (await decision(asMember, { resource: folder })).allowed,
      (await decision(api, { resource: folder, identity: member.uid })).allowed,
      ...(await batch(asMember, [{ resource: folder }])).map(short),
    ];
    assert.deepEqual(await read(), [false, false, false]);
    const binding = await world.bind(org, member.uid, "viewer");
    assert.deepEqual(await read(), [true, true, true]);
    await api.roleBindings.delete(binding);
    assert.deepEqual(await read(), [false, false, false]);
  });

  world.rule("each result of a batch is that of a single check, in order", async (api) => {
    const missing = `${org}/${"0".repeat(16)}`;
    const identities = [undefined, viewer.uid, stranger.uid, missing, "f".repeat(40)];
    const checks = [org, folder, missing].flatMap((resource) =>
      identities.map((identity) => ({ resource, ...(identity && { identity }) })),
    );
    for (const { token } of [owner, viewer, stranger]) {
      const caller = api.as(token);
      const expected: unknown[] = [];
      for (const check of checks) expected.push(await single(caller, check));
      // Repeated questions have the same answers.
      const results = await batch(caller, [...checks, ...checks]);
      assert.deepEqual(results.map(short), [...expected, ...expected]);
    }
  });

  world.rule("all decisions of a batch are of one moment", async (api) => {
    const role = await world.role(org, ["repo.list"]);
    const members = await Promise.all(Array.from({ length: 10 }, () => world.member()));
    for (const { uid } of members) {
      await api.roleBindings.create(folder, { identityUid: uid, roleUid: role });
    }
    const checks = members.map(({ uid }) => ({ resource: folder, identity: uid }));
    let isChanging = true;
    const changes = (async () => {
      for (let at = 0; at < 20; at += 1) {
        const capabilities = at % 2 === 0 ? ["CAP_TAG_LIST"] : ["CAP_REPO_LIST"];
        await api.roles.update(role, { capabilities });
      }
      isChanging = false;
    })();
    while (isChanging) {
      // Aborted if access changes in each of its attempts.
      const results = await batch(api, checks).catch(({ code }) => {
        assert.equal(code, 10);
        return [];
      });
      assert.ok(new Set(results.map(({ allowed }) => allowed)).size <= 1);
    }
    await changes;
  });

  world.rule("a batch reveals nothing of others that a single check denies", async (api) => {
    const caller = api.as(stranger.token);
    const results = await batch(caller, [
      { resource: folder, identity: viewer.uid },
      { resource: `${org}/${"0".repeat(16)}`, identity: viewer.uid },
      { resource: folder, identity: "f".repeat(40) },
    ]);
    const texts = results.map(({ allowed, error }) => {
      assert.deepEqual([allowed, error.code], [false, 7]);
      return error.message.replace(/"[0-9a-f/]+"/, "UID");
    });
    assert.equal(new Set(texts).size, 1);
  });

  world.rule("a group that the caller deleted is not found", async (api) => {
    const caller = api.as(stranger.token);
    const home = await world.organization();
    await world.bind(home, stranger.uid, "owner");
    await caller.groups.delete(home);
    const check = { resource: home, identity: viewer.uid };
    const [result] = await batch(caller, [check]);
    assert.equal(result?.error.code, 5);
    assert.deepEqual(short(result), await single(caller, check));
  });

  world.rule("denied questions of a batch are in the audit log", async (api) => {
    const member = await world.member();
    const caller = api.as(member.token);
    await batch(caller, [
      { resource: folder },
      { resource: folder, identity: viewer.uid },
      { resource: org, identity: viewer.uid },
      { resource: org, identity: viewer.uid },
    ]);
    const { entries } = await api.audit.listAuditEntries({ filter: { actor: member.uid } });
    const method = "wharf.iam.v2beta1.AccessService/BatchCheckAccess";
    assert.deepEqual(
      entries.map((entry: Answer) => [entry.resource.uid, entry.code, entry.method]).sort(),
      [org, folder].map((uid) => [uid, 7, method]),
    );
  });

  world.rule("malformed questions reject the batch, with their numbers", async (api) => {
    const valid = { resource: org, capability: "CAP_REPO_LIST" };
    for (const [checks, field] of [
      [[valid, { ...valid, resource: "x" }], "checks[1].resource"],
      [[valid, valid, { resource: org }], "checks[2].capability"],
      [[{ ...valid, capability: 9_999 }], "checks[0].capability"],
      [[valid, { ...valid, identity: "x" }], "checks[1].identity"],
      [[], "checks"],
      [Array(101).fill(valid), "checks"],
      [Array(10_000).fill({}), "checks"],
    ] as const) {
      const error = await rejected(api.call(AccessService, "BatchCheckAccess", { checks }));
      assert.deepEqual([error.code, Object.keys(error.fields)], [3, [field]]);
    }
    assert.equal((await batch(api, Array(100).fill(valid))).length, 100);
    const view = await rejected(api.call(AccessService, "CheckAccess", { ...valid, view: 7 }));
    assert.deepEqual([view.code, Object.keys(view.fields)], [3, ["view"]]);
  });

  test("anonymous callers and deep bodies are rejected", async () => {
    const path = "/iam/v2beta1/access:batchCheck";
    const anonymous = new Http(world.server.url, "");
    const checks = [{ resource: folder, capability: "CAP_REPO_LIST" }];
    assert.equal((await anonymous.post(path, { checks })).status, 401);
    const uri = `/iam/v2beta1/access:check?resource=${folder}&capability=repo.list&view=DECISION`;
    assert.equal((await anonymous.get(uri)).status, 401);
    const deep = `{"checks":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const member = new Http(world.server.url, viewer.token);
    assert.equal((await member.post(path, deep)).status, 400);
  });
});
