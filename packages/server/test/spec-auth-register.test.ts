import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { literalIdentityUid } from "@wharf/contract";
import { rejected } from "./support/client/api-error.ts";
import { type Answer, Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { checkRows } from "./support/server/store-consistency.ts";
import { TestServer } from "./support/server/test-server.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const viewer = roleNamed("viewer");

onEachStore("registering with an invite", (world) => {
  let issuer: StandInIssuer;
  let org: string;
  let people = 0;
  before(async () => {
    issuer = await StandInIssuer.start();
    org = await world.organization();
  });
  after(() => issuer.stop());

  const stranger = (claims: object = {}) => issuer.sign({ sub: `person-${people++}`, ...claims });
  const register = (token: string, body: object): Promise<Answer> =>
    new Http(world.server.url, token).post("/auth/v1/register", body);
  const invite = async (more: object = {}) => {
    const group = await world.group(org);
    const given = { roleUid: viewer, ttl: "3600s", ...more };
    const made = await world.operator().groupInvites.create(group, given);
    return { group, code: made.code as string, uid: made.uid as string };
  };
  const bound = async (group: string): Promise<string[]> => {
    const { roleBindings } = await world
      .operator()
      .roleBindings.list({ uidp: { childrenOf: group } });
    return roleBindings.map((one: { identityUid: string }) => one.identityUid);
  };
  const known = async (uid: string) =>
    (await rawRows(world.server, `SELECT uid FROM identities WHERE uid = '${uid}'`)).length === 1;
  const denied = ({ status, body }: Answer, message: string) =>
    assert.deepEqual([status, body.code, body.message], [403, 7, `Permission denied: ${message}`]);

  test("an unknown user with a token for our audience joins, and gets an identity", async () => {
    const { group, code, uid } = await invite();
    const token = await stranger({ sub: "ada", email: "ada@acme.example", email_verified: true });
    const identity = literalIdentityUid(issuer.url, "ada");
    const answer = await register(token, { code, identityId: identity });
    assert.deepEqual([answer.status, answer.body], [200, { identity, group }]);
    assert.deepEqual(await bound(group), [identity]);
    const made = await world.operator().identities.get(identity);
    assert.equal(made.claimMatch.issuer, issuer.url);
    assert.equal(made.claimMatch.subject, "ada");
    assert.equal(made.email, "ada@acme.example");
    assert.ok(await world.operator().groupInvites.get(uid), "it is for many");
    const events = await rawRows<{
      group_uid: string;
      actor: string;
      body: string;
      subject: string;
    }>(
      world.server,
      "SELECT group_uid, actor, body, subject FROM events WHERE type = 'auth.registered.v1'",
    );
    assert.deepEqual(
      events.map(({ body, ...rest }) => ({ ...rest, body: JSON.parse(body) })),
      [{ group_uid: group, actor: identity, subject: "", body: { identity, group } }],
    );
    const { token: ours } = await exchange(world.server.url, token, { aud: world.server.url });
    const groups = await new Http(world.server.url, ours).get("/iam/v2beta1/groups");
    assert.deepEqual(
      groups.body.groups.map((one: { uid: string }) => one.uid),
      [group],
    );
  });

  test("a known user joins with an access token; repeating is idempotent", async () => {
    const { group, code } = await invite();
    const member = await world.member();
    for (let at = 0; at < 2; at++) {
      const answer = await register(member.token, { code });
      assert.deepEqual([answer.status, answer.body], [200, { identity: member.uid, group }]);
      assert.deepEqual(await bound(group), [member.uid]);
    }
  });

  test("a single-use invite is spent after one registration", async () => {
    const { group, code, uid } = await invite({ singleUse: true });
    assert.equal((await register(await stranger(), { code })).status, 200);
    assert.equal((await rejected(world.operator().groupInvites.get(uid))).code, 5);
    const late = await stranger({ sub: "late" });
    denied(await register(late, { code }), 'invalid "code"');
    assert.equal(await known(literalIdentityUid(issuer.url, "late")), false);
    assert.equal((await bound(group)).length, 1);
  });

  test("an invite for an address requires the verified address", async () => {
    const { group, code } = await invite({ email: "Ida@acme.example" });
    const other = "the invite is for another e-mail address, or yours is not verified";
    for (const claims of [
      {},
      { email: "ida@acme.example" },
      { email: "ida@acme.example", email_verified: false },
      { email: "ida@acme.example", email_verified: "true" },
      { email: "bob@acme.example", email_verified: true },
      { email: ["ida@acme.example"], email_verified: true },
    ]) {
      denied(await register(await stranger({ sub: "ida", ...claims }), { code }), other);
    }
    denied(await register((await world.member()).token, { code }), other);
    assert.equal(await known(literalIdentityUid(issuer.url, "ida")), false);
    assert.deepEqual(await bound(group), []);
    const right = { sub: "ida", email: "IDA@acme.EXAMPLE", email_verified: true };
    assert.equal((await register(await stranger(right), { code })).status, 200);
  });

  test("mismatches are rejected, and nothing changes", async () => {
    const { group, code } = await invite({ singleUse: true });
    const past = await invite({ ttl: "1s" });
    const sub = "mallory";
    const token = await stranger({ sub });
    const identityId = literalIdentityUid(issuer.url, "another");
    denied(await register(token, { code, identityId }), 'invalid "identity_id"');
    denied(await register(token, {}), 'invalid "code"');
    denied(await register(token, { code: "" }), 'invalid "code"');
    denied(await register(token, { code: `${code}A` }), 'invalid "code"');
    await sleep(1_100);
    denied(await register(token, { code: past.code }), 'invalid "code"');
    for (const [claims, claim] of [
      [{ aud: "another.example" }, "aud"],
      [{ aud: ["127.0.0.1", "another.example"] }, "aud"],
      [{ exp: 1 }, "exp"],
    ] as const) {
      const answer = await register(await stranger({ sub, ...claims }), { code });
      assert.ok(answer.status === 401 || answer.status === 403, JSON.stringify(answer.body));
      assert.match(answer.body.message, new RegExp(`"${claim}"|expired`));
    }
    assert.notEqual((await register(await stranger({ sub: "" }), { code })).status, 200);
    for (const bad of ["", "nonsense", `${token}x`]) {
      const { status } = await register(bad, { code });
      assert.ok(status === 401 || status === 403, `${bad}: ${status}`);
    }
    assert.equal(await known(literalIdentityUid(issuer.url, sub)), false);
    assert.deepEqual(await bound(group), []);
    const gone = await world.member();
    await world.operator().identities.delete(gone.uid);
    assert.equal((await register(gone.token, { code })).status, 404);
    const { url } = world.server;
    const { token: whole } = await world.member({ [org]: ["groups.list"] });
    const narrow = await exchange(url, whole, { aud: url, cap: "groups.list" });
    denied(await register(narrow.token, { code }), 'invalid "cap"');
    assert.deepEqual(await bound(group), []);
    assert.equal((await register(token, { code })).status, 200, "the invite was left as it was");
  });

  test("without a valid invite, no issuer is fetched", async () => {
    const other = await StandInIssuer.start();
    const token = await other.sign({ sub: "ada" });
    denied(await register(token, { code: "made up" }), 'invalid "code"');
    assert.deepEqual(other.asked, []);
    await other.stop();
  });

  test("the operator, which has no identity, cannot register", async () => {
    const { group, code } = await invite();
    const { status, body } = await register(await world.server.token(), { code });
    assert.deepEqual([status, body.code], [404, 5]);
    assert.deepEqual(await bound(group), []);
  });

  test("of concurrent registrations with a single-use invite, exactly one succeeds", async () => {
    const { group, code } = await invite({ singleUse: true });
    const tokens = await Promise.all(Array.from({ length: 8 }, () => stranger()));
    const answers = await Promise.all(tokens.map((token) => register(token, { code })));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    assert.deepEqual(others, []);
    assert.deepEqual(await bound(group), [winner?.body.identity]);
    for (const answer of answers.filter(({ status }) => status !== 200))
      denied(answer, 'invalid "code"');
    const direct = await DirectStore.open(world.server);
    await checkRows(direct.store.reader).finally(() => direct.close());
  });
});

describe("registering at two replicas", () => {
  test("of concurrent registrations with a single-use invite, exactly one succeeds", async () => {
    const issuer = await StandInIssuer.start();
    const flags = ["--base-url", "http://wharf.test", "--private-issuers", issuer.url];
    const one = await TestServer.start({ store: "postgres", flags });
    const two = await TestServer.start({ sameStoreAs: one, flags });
    const operator = new Http(one.url, await one.token());
    const { uid: group } = (await operator.post("/iam/v2beta1/groups", { name: "org" })).body;
    for (let round = 0; round < 5; round++) {
      const given = { roleUid: viewer, ttl: "3600s", singleUse: true };
      const { code } = (await operator.post(`/iam/v2beta1/groupInvites/${group}`, given)).body;
      const answers = await Promise.all(
        [one, two, one, two].map(async ({ url }, at) => {
          const token = await issuer.sign({ sub: `person-${round}-${at}`, aud: "wharf.test" });
          return new Http(url, token).post("/auth/v1/register", { code });
        }),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403]);
    }
    const bindings = await operator.get(`/iam/v2beta1/roleBindings?uidp.childrenOf=${group}`);
    assert.equal(bindings.body.totalCount, "5");
    await issuer.stop();
    assert.deepEqual([await one.stop(), await two.stop()], [0, 0]);
  });
});
