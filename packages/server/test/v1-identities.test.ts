import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { literalIdentityUid } from "@wharf/contract";
import { refused } from "./support/client/api-error.ts";
import { Rest } from "./support/client/http.ts";
import { queryOf } from "./support/client/over-rest.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { type Way, waysOf } from "./support/versions/resources.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const SERVICE = "chainguard.platform.iam.Identities";

function lookup(way: Way, request: { issuer: string; subject: string }) {
  const path = `/iam/v1/identities/lookup?${queryOf(request)}`;
  return way.callV1(SERVICE, "Lookup", request, { method: "GET", path });
}

onEachStore("v1 identities", (world) => {
  let issuer: StandInIssuer;
  let org: string;
  before(async () => {
    issuer = await StandInIssuer.start();
    org = await world.organization();
  });
  after(() => issuer.stop());

  const ways = (token = world.operator().token) => {
    return waysOf(world.server.url, token).filter(({ version }) => version === "v1");
  };
  const person = async (sub: string) => {
    const invited = await world
      .operator()
      .groupInvites.create(org, { roleUid: roleNamed("viewer"), ttl: "3600s" });
    const { code } = invited;
    const token = await issuer.sign({ sub });
    const answer = await new Rest(world.server.url, token).post("/auth/v1/register", { code });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.identity as string;
  };

  test("a user is looked up by issuer and subject, after the first sign-in only", async () => {
    const asked = { issuer: issuer.url, subject: "ada" };
    for (const way of ways()) {
      const refusal = await refused(lookup(way, asked));
      assert.equal(refusal.code, 5, way.name);
      assert.equal(refusal.missing, `Identity ${issuer.url} ada`);
    }
    const api = world.operator();
    const uid = literalIdentityUid(issuer.url, "ada");
    assert.equal((await api.lookupIdentity(asked)).uid, uid, "version 2 tells it anyway");
    assert.equal(await person("ada"), uid);
    const known = await api.identities.get(uid);
    for (const way of ways()) {
      const found = await lookup(way, asked);
      assert.deepEqual([found.id, found.name], [uid, known.name], way.name);
      assert.equal(found.createdAt, known.createTime);
    }
  });

  test("a caller that cannot list a user gets only their id", async () => {
    const uid = await person("grace");
    const { token } = await world.member();
    for (const way of ways(token)) {
      assert.deepEqual(await lookup(way, { issuer: issuer.url, subject: "grace" }), {
        id: uid,
        name: "",
        description: "",
        claimMatch: { issuer: issuer.url, subject: "grace", claims: {}, claimPatterns: {} },
      });
    }
    const [way] = ways("");
    assert.equal((await refused(lookup(way as Way, { issuer: "x", subject: "y" }))).code, 16);
    for (const way of ways(token)) {
      const refusal = await refused(lookup(way, { issuer: issuer.url, subject: "" }));
      assert.deepEqual(refusal.fields, { subject: "subject is required" }, way.name);
    }
  });

  test("a PUT changes the relationship, and keeps fields unknown to v1", async () => {
    const api = world.operator();
    for (const way of ways()) {
      const { uid } = await api.identities.create(org, {
        name: world.name(),
        company: "acme",
        claimMatch: { issuer: "https://issuer.example.com", subject: "one" },
      });
      const awsIdentity = { awsAccount: "123456789012", arn: "arn:aws:iam::1:user/a", userId: "A" };
      const body = { name: "now of aws", awsIdentity };
      const http = { method: "PUT", path: `/iam/v1/identities/${uid}`, body };
      const put = await way.callV1(SERVICE, "Update", { ...body, id: uid }, http);
      assert.deepEqual(put.awsIdentity, awsIdentity, way.name);
      const now = await api.identities.get(uid);
      assert.deepEqual(
        [now.company, now.awsIdentity, now.claimMatch],
        ["acme", awsIdentity, undefined],
      );
    }
  });

  test("errors have v1 field names", async () => {
    for (const way of ways()) {
      const keys = {
        issuer: "nowhere",
        subject: " ",
        issuerKeys: "{}",
        expiration: "2020-01-01T00:00:00Z",
      };
      const identity = { name: "fine", static: keys };
      const http = { method: "POST", path: `/iam/v1/identities/${org}`, body: identity };
      const refusal = await refused(
        way.callV1(SERVICE, "Create", { parentId: org, identity }, http),
      );
      assert.deepEqual(Object.keys(refusal.fields).sort(), [
        "static.expiration",
        "static.issuer",
        "static.issuerKeys",
        "static.subject",
      ]);
      assert.equal(refusal.fields["static.expiration"], "expiration must be in the future");
      const bare = { method: "POST", path: `/iam/v1/identities/${org}`, body: { name: "fine" } };
      const request = { parentId: org, identity: { name: "fine" } };
      const { fields } = await refused(way.callV1(SERVICE, "Create", request, bare));
      assert.deepEqual(fields, {
        claimMatch: "one of claimMatch, static, awsIdentity, servicePrincipal is required",
      });
    }
  });
});
