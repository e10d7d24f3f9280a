import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const CLIENT = "client";

onEachStore("claims checked for every foreign token", (world) => {
  let issuer: StandInIssuer;
  let org: string;
  let ci: string;
  let provider: string;
  before(async () => {
    issuer = await StandInIssuer.start();
    org = await world.organization();
    const operator = world.operator();
    const claimMatch = { issuer: issuer.url, subject: "ci" };
    ci = (await operator.identities.create(org, { name: "ci", claimMatch })).uid;
    const oidc = { issuer: issuer.url, clientId: CLIENT, pkceEnabled: true };
    const made = { name: "sso", defaultRole: roleNamed("viewer"), oidc };
    provider = (await operator.identityProviders.create(org, made)).uid;
  });
  after(() => issuer.stop());

  const seconds = () => Math.floor(Date.now() / 1000);
  const url = () => world.server.url;
  const ask = (token: string, to: Record<string, string> = { identity: ci }) =>
    exchange(url(), token, { aud: url(), ...to });
  const invite = async (): Promise<string> => {
    const given = { roleUid: roleNamed("viewer"), ttl: "600s" };
    return (await world.operator().groupInvites.create(org, given)).code;
  };
  const atRegistry = async (token: string) => {
    const user = ci.replaceAll("/", "_");
    const basic = Buffer.from(`${user}:${token}`).toString("base64");
    return (await fetch(`${url()}/token`, { headers: { authorization: `Basic ${basic}` } })).status;
  };

  /** Every way in for a token of others, by whether it was accepted. */
  const WAYS: Record<string, (claims: object) => Promise<boolean>> = {
    "the exchange": async (claims) =>
      (await ask(await issuer.sign({ sub: "ci", ...claims }))).status === 200,
    "the exchange for an identity provider": async (claims) => {
      const token = await issuer.sign({ sub: "ada", aud: CLIENT, ...claims });
      return (await ask(token, { identity_provider: provider })).status === 200;
    },
    registration: async (claims) => {
      const stranger = new Http(url(), await issuer.sign({ sub: "ada", ...claims }));
      const { status } = await stranger.post("/auth/v1/register", { code: await invite() });
      return status === 200;
    },
    "a test of an identity": async (claims) => {
      const token = await issuer.sign({ sub: "ci", ...claims });
      return (await world.operator().identities.testIdentity({ uid: ci, token })).allowed;
    },
    "credentials for a registry": async (claims) =>
      (await atRegistry(await issuer.sign({ sub: "ci", ...claims }))) === 200,
  };

  test("a token issued in the future is rejected, beyond the clock skew", async () => {
    // Registers the person whom the identity provider then knows.
    assert.equal(await WAYS.registration?.({}), true);
    for (const [way, accepts] of Object.entries(WAYS)) {
      assert.equal(await accepts({ iat: seconds() + 20 }), true, `${way}: within 30 seconds`);
      assert.equal(await accepts({ iat: seconds() + 300 }), false, `${way}: in five minutes`);
      assert.equal(await accepts({ iat: "1" }), false, `${way}: no time`);
    }
    const { message } = await ask(await issuer.sign({ sub: "ci", iat: seconds() + 300 }));
    assert.match(message, /invalid "iat"/);
  });

  test("an issuer with a query, a fragment, user info or dot segments is not fetched", async () => {
    const host = new URL(issuer.url).host;
    const claimMatch = { issuerPattern: "http://.*", subject: "ci" };
    const made = await world.operator().identities.create(org, { name: "any", claimMatch });
    const before = issuer.asked.length;
    for (const iss of [
      ...[`${issuer.url}/uploads/evil.json?`, `${issuer.url}?x=`, `${issuer.url}/#`],
      ...[`http://user@${host}`, `http://@${host}`, `http://u:p@${host}/x`],
      ...[`${issuer.url}/a/../uploads`, `${issuer.url}/./a`, `${issuer.url}/..`],
      ...[
        `${issuer.url}/a/%2e%2E/uploads`,
        `${issuer.url}/a%2f..%2fuploads`,
        `${issuer.url}/%252e/`,
      ],
      ...[`${issuer.url}\\a`, `${issuer.url}/a b`, `${issuer.url}/${"x".repeat(1_100)}`],
    ]) {
      const token = await issuer.sign({ sub: "ci", iss });
      const { code, message } = await ask(token, { identity: made.uid });
      assert.deepEqual([code, message], [7, 'Permission denied: invalid "iss"'], iss);
      const stranger = new Http(url(), token);
      const registered = await stranger.post("/auth/v1/register", { code: await invite() });
      assert.equal(registered.status, 403, iss);
      const tested = await world.operator().identities.testIdentity({ uid: made.uid, token });
      assert.equal(tested.allowed, false, iss);
    }
    assert.equal(issuer.asked.length, before);
    const { status } = await ask(await issuer.sign({ sub: "ci" }), { identity: made.uid });
    assert.equal(status, 200, "the issuer itself is trusted");
  });

  world.rule("and cannot be stored", async (api) => {
    for (const odd of ["?", "#", "/a/..", "/%2e%2e/a"]) {
      const oidc = { issuer: `${issuer.url}${odd}`, clientId: CLIENT, pkceEnabled: true };
      const name = world.name();
      const provider = { name, defaultRole: roleNamed("viewer"), oidc };
      await assert.rejects(api.identityProviders.create(org, provider), odd);
      const claimMatch = { issuer: `${issuer.url}${odd}`, subject: "x" };
      await assert.rejects(api.identities.create(org, { name, claimMatch }), odd);
    }
  });
});
