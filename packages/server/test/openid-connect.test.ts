/** This server as an OpenID provider, with a client library of others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeJwt } from "jose";
import * as openid from "openid-client";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { Http } from "./support/client/http.ts";
import { askForToken, exchange, OAuthClient } from "./support/client/tokens.ts";
import { PASSWORD } from "./support/world/local-accounts.ts";
import { onStore, type World } from "./support/world/world.ts";

const CLIENT = "https://tool.example";
const REDIRECT = "http://127.0.0.1:9/callback";
const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const CHAINED = /^Bearer error="invalid_token", resource_metadata="([^"]+)"$/;

interface SignIn {
  readonly clientId?: string;
  readonly scope?: string;
  readonly more?: Readonly<Record<string, string>>;
}

function suite(world: World): void {
  const issuer = () => new URL(world.server.baseUrl);
  const discover = (clientId = CLIENT, algorithm: "oidc" | "oauth2" = "oidc") =>
    openid.discovery(issuer(), clientId, undefined, openid.None(), {
      algorithm,
      execute: [openid.allowInsecureRequests],
    });

  /** Signs ada in as the library does; what comes back, and how to redeem it. */
  async function authorize({ clientId = CLIENT, scope = "openid", more = {} }: SignIn = {}) {
    const config = await discover(clientId);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
      nonce: expectedNonce,
      ...more,
    });
    const browser = new HttpBrowser();
    const how = { action: "/oauth/local", until: REDIRECT };
    const form = { username: "ada", password: PASSWORD };
    const back = await browser.submit(await browser.open(url.href), form, how);
    return {
      config,
      returned: new URL(back.url),
      checks: { pkceCodeVerifier, expectedState, expectedNonce },
    };
  }

  async function signIn(given: SignIn = {}) {
    const { config, returned, checks } = await authorize(given);
    const idTokenExpected = true;
    const tokens = await openid.authorizationCodeGrant(config, returned, {
      ...checks,
      idTokenExpected,
    });
    return { config, tokens };
  }

  test("the scope openid returns an ID token that the library accepts, with the claims of userinfo", async () => {
    const { config, tokens } = await signIn({ scope: "openid email profile offline_access" });
    const claims = tokens.claims();
    assert.ok(claims);
    assert.deepEqual(claims.aud, [CLIENT, world.server.baseUrl]);
    assert.equal(claims.azp, CLIENT);
    assert.equal(claims.sub, decodeJwt(tokens.access_token).sub);
    assert.ok(Math.abs(Number(claims.auth_time) - claims.iat) < 60);
    const info = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
    assert.deepEqual(info, { sub: claims.sub, name: "ada" });
    const posted = await fetch(`${world.server.url}/oauth/userinfo`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    assert.deepEqual(await posted.json(), info);
    // Libraries repeat the scopes.
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "", {
      scope: "openid email",
    });
    assert.equal(decodeJwt(next.access_token).sub, claims.sub);
    // Existing clients exchange ID tokens.
    const aud = world.server.baseUrl;
    assert.equal((await exchange(world.server.url, tokens.id_token ?? "", { aud })).status, 200);
  });

  test("a sign-in with a maximum age is verified by the library", async () => {
    const { config, returned, checks } = await authorize({ more: { max_age: "600" } });
    const tokens = await openid.authorizationCodeGrant(config, returned, {
      ...checks,
      maxAge: 600,
    });
    assert.ok(tokens.claims()?.auth_time);
  });

  test("an ID token is no more than its session: it ends with it, and is as restricted", async () => {
    const { body } = await world.http.get("/iam/v2beta1/groups?name=acme");
    const [organization] = body.groups;
    const folder = await world.group(organization.uid);
    const { tokens } = await signIn({ scope: `openid ${folder}` });
    const id = tokens.id_token ?? "";
    assert.deepEqual(Object.keys(decodeJwt(id).cap as object), [folder]);
    const aud = world.server.baseUrl;
    const { token } = await exchange(world.server.url, id, { aud });
    const { body: seen } = await new Http(world.server.url, token).get("/iam/v2beta1/groups");
    assert.deepEqual(
      seen.groups.map(({ uid }: { uid: string }) => uid),
      [folder],
    );
    await new Http(world.server.url, tokens.access_token).post("/auth/v1/logout", {});
    assert.equal((await exchange(world.server.url, id, { aud })).status, 401);
  });

  test("without the scope openid there is no ID token, and with it a client is required", async () => {
    const { config, returned, checks } = await authorize({ scope: "" });
    const tokens = await openid.authorizationCodeGrant(config, returned, {
      pkceCodeVerifier: checks.pkceCodeVerifier,
      expectedState: checks.expectedState,
    });
    assert.equal(tokens.id_token, undefined);
    const app = await OAuthClient.start(world.server.url);
    const nobody = await fetch(app.loginUrl({ scope: "openid", client_id: "" }));
    app.stop();
    assert.equal(nobody.status, 400);
    assert.match(await nobody.text(), /client_id is required/i);
  });

  test("audiences of the installation are no clients", async () => {
    const app = await OAuthClient.start(world.server.url);
    for (const client_id of ["registry.test", "https://other.example", "c".repeat(256)]) {
      const page = await fetch(app.loginUrl({ client_id, scope: "openid" }));
      assert.equal(page.status, 400, client_id);
      const device = await fetch(`${world.server.url}/oauth/device_authorization`, {
        method: "POST",
        body: new URLSearchParams({ client_id }),
      });
      assert.equal(device.status, 400, client_id);
      assert.equal(((await device.json()) as { error: string }).error, "invalid_request");
    }
    app.stop();
  });

  test("a code and a device code are of no use to another client", async () => {
    const { returned, checks } = await authorize();
    const form = {
      grant_type: "authorization_code",
      client_id: "another",
      code: returned.searchParams.get("code") ?? "",
      code_verifier: checks.pkceCodeVerifier,
      redirect_uri: REDIRECT,
    };
    assert.equal((await askForToken(world.server.url, form)).error, "invalid_grant");
    // It is burnt.
    const right = { ...form, client_id: CLIENT };
    assert.equal((await askForToken(world.server.url, right)).error, "invalid_grant");
    const started = await openid.initiateDeviceAuthorization(await discover(), {});
    const poll = (client: object) =>
      askForToken(world.server.url, {
        grant_type: DEVICE_CODE,
        device_code: started.device_code,
        ...client,
      });
    assert.equal((await poll({ client_id: "another" })).error, "invalid_grant");
    assert.equal((await poll({ client_id: CLIENT })).error, "authorization_pending");
    assert.equal((await poll({})).error, "slow_down", "existing clients may not name themselves");
  });

  test("userinfo answers nobody but the person and the identity of the token", async () => {
    const ask = (token: string) => new Http(world.server.url, token).get("/oauth/userinfo");
    const { tokens } = await signIn();
    const { sub } = decodeJwt(tokens.access_token);
    const { body } = await world.http.get("/iam/v2beta1/groups?name=acme");
    const { uid: assumed } = await world.post(`identities/${body.groups[0].uid}`, {
      name: "assumed",
      claimMatch: { issuer: world.server.baseUrl, subject: sub },
    });
    const as = { aud: world.server.baseUrl, identity: assumed };
    const other = await exchange(world.server.url, tokens.access_token, as);
    // Existing clients assume identities with the ID token.
    const byId = await exchange(world.server.url, tokens.id_token ?? "", as);
    assert.equal(byId.claims.sub, assumed, byId.message);
    assert.deepEqual((await ask(other.token)).body, { sub: assumed });
    const workload = await world.member();
    assert.deepEqual((await ask(workload.token)).body, { sub: workload.uid });
    const aud = "registry.test";
    const registry = await exchange(world.server.url, tokens.access_token, { aud });
    assert.equal(registry.status, 200);
    for (const token of [registry.token, "nonsense", "a.b.c", ""]) {
      const answer = await ask(token);
      assert.equal(answer.status, 401, token);
      assert.equal(answer.body.name, undefined);
    }
    await new Http(world.server.url, tokens.access_token).post("/auth/v1/logout", {});
    assert.equal((await ask(tokens.access_token)).status, 401);
    await world.operator().identities.delete(workload.uid);
    assert.equal((await ask(workload.token)).status, 401);
  });

  test("a rejected request leads to the metadata of the API, and on to the issuer", async () => {
    const { url, baseUrl } = world.server;
    const rejected = await new Http(url, "a.b.c").get("/iam/v2beta1/groups");
    const [, metadata = ""] = CHAINED.exec(rejected.headers.get("www-authenticate") ?? "") ?? [];
    // No error without a token (RFC 6750, section 3.1).
    const none = await new Http(url, "").get("/iam/v2beta1/groups");
    const challenge = `Bearer resource_metadata="${metadata}"`;
    assert.equal(none.headers.get("www-authenticate"), challenge);
    // The document is where its resource says (RFC 9728, section 3).
    const { pathname, origin } = new URL(metadata);
    assert.deepEqual([origin, pathname], [baseUrl, "/.well-known/oauth-protected-resource"]);
    const { status, body } = await new Http(url, "").get(pathname);
    assert.equal(status, 200);
    assert.equal(body.resource, baseUrl);
    assert.deepEqual(body.bearer_methods_supported, ["header"]);
    assert.deepEqual(body.authorization_servers, [baseUrl]);
    // The library compares the issuer, as RFC 8414 (section 3.3) has it.
    const oauth = (await discover(CLIENT, "oauth2")).serverMetadata();
    const oidc = (await discover()).serverMetadata();
    assert.deepEqual(oauth, oidc);
    assert.equal(oauth.userinfo_endpoint, `${baseUrl}/oauth/userinfo`);
    assert.ok(oauth.scopes_supported?.includes("openid"));
  });
}

onStore("sqlite", "an OpenID provider for independent clients", suite, {
  owner: "acme",
  flags: ["--registry-host", "registry.test", "--audiences", "https://other.example"],
});
