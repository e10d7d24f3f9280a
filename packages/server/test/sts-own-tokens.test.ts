/** Exchanges of tokens that this server has issued: no wider, no longer, and in the same session. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { issueToken } from "../src/auth/token.ts";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

const REGISTRY = "registry.test";
const FIVE_MINUTES_MS = 300_000;

for (const store of STORES) {
  describe(`tokens of this server, exchanged on ${store}`, () => {
    let world: World;
    let url: string;
    let ada: string;
    before(async () => {
      world = await World.start({ login: true, store, flags: ["--registry-host", REGISTRY] });
      url = world.server.url;
      ada = (await world.login.logIn("ada")).access_token;
    });
    after(() => world.stop());

    const identityOf = async (claimMatch: object): Promise<string> => {
      const { organization } = world.login;
      const match = { issuer: world.server.baseUrl, subject: decodeJwt(ada).sub, ...claimMatch };
      const body = { name: world.name("identity"), claimMatch: match };
      return (await world.post(`identities/${organization}`, body)).uid;
    };

    test("one for a registry stays there", async () => {
      const sent = await exchange(url, ada, { aud: REGISTRY });
      assert.equal(sent.status, 200, sent.message);
      assert.equal((await exchange(url, sent.token, { aud: REGISTRY })).status, 200);
      for (const aud of [url, [url, REGISTRY]]) {
        const back = await exchange(url, sent.token, { aud });
        assert.deepEqual([back.status, back.token], [403, ""], back.message);
      }
      const identity = await identityOf({ audience: REGISTRY });
      const assumed = await exchange(url, sent.token, { aud: url, identity });
      assert.deepEqual([assumed.status, assumed.token], [403, ""], assumed.message);
    });

    test("one that ends soon does not become one that ends later", async () => {
      const { uid } = await world.member();
      const now = Date.now();
      const content = { subject: uid, audiences: [url], boundary: undefined };
      const addresses = { baseUrl: url, authUrl: world.server.baseUrl };
      const short = issueToken(
        world.signer.keys,
        addresses,
        { ...content, expires: now + FIVE_MINUTES_MS },
        now,
      );
      const { status, claims, message } = await exchange(url, short.token, { aud: url });
      assert.equal(status, 200, message);
      assert.equal(claims.exp, Math.floor(short.expires / 1000));
    });

    test("one of an assumed identity ends with the session", async () => {
      const identity = await identityOf({});
      const { access_token: token } = await world.login.logIn("ada");
      const assumed = await exchange(url, token, { aud: url, identity });
      assert.equal(assumed.status, 200, assumed.message);
      const { sub, sid } = assumed.claims;
      assert.deepEqual([sub, sid], [identity, decodeJwt(token).sid]);
      const isAlive = async () => (await new Http(url, assumed.token).get("/auth/v1/ok")).status;
      assert.equal(await isAlive(), 200);
      const ended = await fetch(`${url}/auth/v1/logout`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: "{}",
      });
      assert.equal(ended.status, 200, await ended.text());
      assert.equal(await isAlive(), 401);
      // Without its session, the token must not count as one of a direct exchange, which counts everywhere.
      for (const more of [{}, { identity }]) {
        const late = await exchange(url, token, { aud: url, ...more });
        assert.deepEqual([late.status, late.code, late.token], [401, 16, ""], late.message);
      }
    });
  });
}
