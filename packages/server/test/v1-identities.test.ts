import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { literalIdentityUid } from "@wharf/contract";
import { type ApiClient, PROTOCOLS } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

onEachStore("v1 identities", (world) => {
  let issuer: StandInIssuer;
  let org: string;
  before(async () => {
    issuer = await StandInIssuer.start();
    org = await world.organization();
  });
  after(() => issuer.stop());

  const clients = (token = world.operator().token) => {
    return PROTOCOLS.map((protocol) => world.operator(protocol).as(token).v1);
  };
  const person = async (sub: string) => {
    const invited = await world
      .operator()
      .groupInvites.create(org, { roleUid: roleNamed("viewer"), ttl: "3600s" });
    const { code } = invited;
    const token = await issuer.sign({ sub });
    const answer = await new Http(world.server.url, token).post("/auth/v1/register", { code });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.identity as string;
  };

  test("a user is looked up by issuer and subject, after the first sign-in only", async () => {
    const asked = { issuer: issuer.url, subject: "ada" };
    for (const client of clients()) {
      const refusal = await rejected(client.identities.lookup(asked));
      assert.equal(refusal.code, 5, client.protocol);
      assert.equal(refusal.missing, `Identity ${issuer.url} ada`);
    }
    const api = world.operator();
    const uid = literalIdentityUid(issuer.url, "ada");
    assert.equal(
      (await api.identities.lookupIdentity(asked)).uid,
      uid,
      "version 2 tells it anyway",
    );
    assert.equal(await person("ada"), uid);
    const known = await api.identities.get(uid);
    for (const client of clients()) {
      const found = await client.identities.lookup(asked);
      assert.deepEqual([found.id, found.name], [uid, known.name], client.protocol);
      assert.equal(found.createdAt, known.createTime);
    }
  });

  test("a caller that cannot list a user gets only their id", async () => {
    const uid = await person("grace");
    const { token } = await world.member();
    for (const client of clients(token)) {
      assert.deepEqual(await client.identities.lookup({ issuer: issuer.url, subject: "grace" }), {
        id: uid,
        name: "",
        description: "",
        claimMatch: { issuer: issuer.url, subject: "grace", claims: {}, claimPatterns: {} },
      });
    }
    const [client] = clients("");
    assert.equal(
      (await rejected((client as ApiClient).identities.lookup({ issuer: "x", subject: "y" }))).code,
      16,
    );
    for (const client of clients(token)) {
      const refusal = await rejected(client.identities.lookup({ issuer: issuer.url, subject: "" }));
      assert.deepEqual(Object.keys(refusal.fields), ["subject"], client.protocol);
    }
  });

  test("a PUT changes the relationship, and keeps fields unknown to v1", async () => {
    const api = world.operator();
    for (const client of clients()) {
      const { uid } = await api.identities.create(org, {
        name: world.name(),
        company: "acme",
        claimMatch: { issuer: "https://issuer.example.com", subject: "one" },
      });
      const awsIdentity = { awsAccount: "123456789012", arn: "arn:aws:iam::1:user/a", userId: "A" };
      const put = await client.identities.update(uid, { name: "now of aws", awsIdentity });
      assert.deepEqual(put.awsIdentity, awsIdentity, client.protocol);
      const now = await api.identities.get(uid);
      assert.deepEqual(
        [now.company, now.awsIdentity, now.claimMatch],
        ["acme", awsIdentity, undefined],
      );
    }
  });

  test("errors have v1 field names", async () => {
    for (const client of clients()) {
      const keys = {
        issuer: "nowhere",
        subject: " ",
        issuerKeys: "{}",
        expiration: "2020-01-01T00:00:00Z",
      };
      const identity = { name: "fine", static: keys };
      const refusal = await rejected(client.identities.create(org, identity));
      assert.deepEqual(Object.keys(refusal.fields).sort(), [
        "static.expiration",
        "static.issuer",
        "static.issuerKeys",
        "static.subject",
      ]);
      assert.equal(refusal.fields["static.expiration"], "expiration must be in the future");
      const { fields } = await rejected(client.identities.create(org, { name: "fine" }));
      assert.deepEqual(Object.keys(fields), ["claimMatch"]);
    }
  });
});
