import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

for (const store of STORES) {
  describe(`ID tokens of identity providers on ${store}`, () => {
    let server: TestServer;
    let issuer: StandInIssuer;
    let operator: Http;
    let organization: string;
    let provider: string;

    before(async () => {
      server = await TestServer.start({ store });
      issuer = await StandInIssuer.start();
      operator = new Http(server.url, await server.token());
      organization = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
      const made = await operator.post(`/iam/v2beta1/identityProviders/${organization}`, {
        name: "sso",
        defaultRole: builtinRole("viewer")?.uid,
        oidc: { issuer: issuer.url, clientId: "client", pkceEnabled: true, groupsClaim: "groups" },
      });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      provider = made.body.uid;
    });
    after(async () => {
      await server.stop();
      await issuer.stop();
    });

    const idToken = (claims: object = {}) => issuer.sign({ sub: "ada", aud: "client", ...claims });
    const exchanged = async (token: string, more: Record<string, string> = {}) =>
      exchange(server.url, token, { aud: server.url, identity_provider: provider, ...more });

    /** Registers the person with an invite. */
    const register = async () => {
      const invite = await operator.post(`/iam/v2beta1/groupInvites/${organization}`, {
        roleUid: builtinRole("viewer")?.uid,
        ttl: "600s",
      });
      const { hostname } = new URL(server.url);
      const stranger = new Http(server.url, await issuer.sign({ sub: "ada", aud: hostname }));
      const joined = await stranger.post("/auth/v1/register", { code: invite.body.code });
      assert.equal(joined.status, 200, JSON.stringify(joined.body));
      return joined.body.identity as string;
    };

    test("unknown users get an error, and are not created", async () => {
      const answer = await exchanged(await idToken());
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 5);
    });

    test("known users get a token of a session", async () => {
      const identity = await register();
      const answer = await exchanged(await idToken());
      assert.equal(answer.status, 200, answer.message);
      assert.equal(answer.claims.sub, identity);
      assert.deepEqual(answer.claims.act, { iss: issuer.url, sub: "ada" });
      const rest = new Http(server.url, answer.token);
      const { sessions } = (await rest.get("/auth/v1/sessions")).body;
      assert.deepEqual(
        sessions.map((one: { id: string; identityProvider: string }) => [
          one.id,
          one.identityProvider,
        ]),
        [[answer.claims.sid, provider]],
      );
      await rest.post("/auth/v1/logout");
      assert.equal((await rest.get("/auth/v1/ok")).status, 401);
    });

    test("their groups are mapped to roles", async () => {
      await operator.post(`/iam/v2beta1/externalGroupRoleMappings/${provider}`, {
        externalGroupId: "admins",
        roleUid: builtinRole("owner")?.uid,
      });
      const { token } = await exchanged(await idToken({ groups: ["admins"] }));
      const renamed = await new Http(server.url, token).patch(
        `/iam/v2beta1/groups/${organization}`,
        { description: "by a member of a group" },
      );
      assert.equal(renamed.status, 200);
    });

    const REFUSED = {
      "a token for another client": [{ aud: "another" }, {}, 'invalid "aud"'],
      "a token for several": [{ aud: ["client", "another"] }, {}, 'invalid "aud"'],
      "a token without a subject": [{ sub: "" }, {}, 'invalid "sub"'],
      "an identity that is another": [{}, { identity: "f".repeat(40) }, 'invalid "identity"'],
      "a provider that is none": [
        {},
        { identity_provider: "f".repeat(40) },
        'invalid "identity_provider"',
      ],
    } as const;
    for (const [what, [claims, parameters, reason]] of Object.entries(REFUSED)) {
      test(`rejects ${what}`, async () => {
        const answer = await exchanged(await idToken(claims), parameters);
        assert.equal(answer.code, 7);
        assert.ok(answer.message.includes(reason), answer.message);
      });
    }

    test("rejects a token of another issuer", async () => {
      const other = await StandInIssuer.start();
      const answer = await exchanged(await other.sign({ sub: "ada", aud: "client" }));
      assert.ok(answer.message.includes('invalid "iss"'), answer.message);
      await other.stop();
    });

    test("an invalid request opens no session", async () => {
      const answer = await exchange(server.url, await idToken(), {
        aud: "https://elsewhere.example",
        identity_provider: provider,
      });
      assert.equal(answer.code, 3);
      const listed = await operator.get(`/auth/v1/sessions?identity_provider=${provider}`);
      assert.equal(listed.body.sessions.length, 1);
    });
  });
}
