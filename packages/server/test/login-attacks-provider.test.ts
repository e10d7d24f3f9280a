import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { literalIdentityUid } from "@wharf/contract";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { rejected } from "./support/client/api-error.ts";
import { OAuthClient } from "./support/client/tokens.ts";
import { type ProviderFault, RogueProvider } from "./support/providers/rogue-provider.ts";
import { attack } from "./support/world/login.ts";
import { roleNamed, World } from "./support/world/world.ts";

const now = () => Math.floor(Date.now() / 1000);
const NOT_LET_THROUGH = "the identity provider rejected this sign-in: ";

describe("attacks on sign-ins by a provider", () => {
  let world: World;
  let rogue: RogueProvider;
  let uid: string;
  before(async () => {
    world = await World.start({ login: true });
    rogue = await RogueProvider.start();
    const made = await world.http.post(
      `/iam/v2beta1/identityProviders/${world.login.organization}`,
      {
        name: "rogue",
        defaultRole: roleNamed("viewer"),
        oidc: { issuer: rogue.url, clientId: rogue.client.id, clientSecret: rogue.client.secret },
      },
    );
    uid = made.body.uid;
  });
  after(async () => {
    await rogue.stop();
    await world.stop();
  });

  /** A login at the provider, which does this: the query of the redirect back to the tool. */
  const logInWith = async (
    app: OAuthClient,
    fault: ProviderFault,
    parameters = {},
    later = fault,
  ) => {
    rogue.misbehave(fault);
    const browser = new HttpBrowser();
    const away = await browser.open(app.loginUrl({ idp_id: uid, ...parameters }), rogue.url);
    if (!away.url.startsWith(rogue.url)) return { page: away, redirect: new URLSearchParams() };
    rogue.misbehave(later);
    const callback = `${world.server.url}/oauth/callback?${rogue.wayBack(away.url)}`;
    const page = await browser.open(callback, app.redirectUri);
    return { page, redirect: new URL(page.url).searchParams };
  };

  test("a conforming provider signs its users in, with PKCE", async () => {
    const app = await OAuthClient.start(world.server.url);
    const { redirect } = await logInWith(app, { callback: { iss: rogue.url } });
    const tokens = await app.redeem(redirect);
    assert.equal(tokens.status, 200, redirect.get("error_description") ?? "");
    assert.ok(rogue.asked.includes("/token"));
    app.stop();
  });

  test("an issuer is checked before a provider is created with it", async () => {
    const { organization } = world.login;
    const api = world.operator();
    const check = (issuer: string, as = api, parent = organization) =>
      as.identityProviders.checkIssuer({ parent, issuer });
    const problemOf = async (fault: ProviderFault): Promise<string> => {
      rogue.misbehave(fault);
      return (await check(rogue.url)).problem;
    };
    rogue.misbehave({});
    const { problem, authorizationEndpoint } = await check(rogue.url);
    assert.equal(problem ?? "", "");
    assert.ok(authorizationEndpoint.startsWith(rogue.url), authorizationEndpoint);
    assert.match(await problemOf({ discovery: { issuer: "https://elsewhere.example" } }), /issuer/);
    assert.match(await problemOf({ discovery: { jwks_uri: undefined } }), /jwks_uri/);
    assert.match(await problemOf({ discovery: { jwks_uri: `${rogue.url}/none` } }), /keys/);
    assert.match(await problemOf({ discovery: { token_endpoint: undefined } }), /token_endpoint/);
    const script = { discovery: { authorization_endpoint: "javascript:alert(1)" } };
    assert.match(await problemOf(script), /authorization endpoint/);
    // The addresses of the inside are as far away as at a sign-in.
    for (const inside of ["https://169.254.169.254", "https://10.0.0.1", "https://[fd00::1]"]) {
      assert.match((await check(inside)).problem, /public|private/);
    }
    const malformed = await rejected(check("keycloak"));
    assert.deepEqual(Object.keys(malformed.fields), ["issuer"]);
    const viewer = await world.member({ [organization]: "viewer" });
    assert.equal((await rejected(check(rogue.url, api.as(viewer.token)))).code, 7);
    assert.equal((await rejected(check(rogue.url, api, "0".repeat(40)))).code, 5);
  });

  const refusals: Record<string, [ProviderFault, RegExp]> = {
    "a wrong nonce": [{ claims: { nonce: "another" } }, /nonce/],
    "no nonce": [{ claims: { nonce: undefined } }, /nonce/],
    "a token for another client": [{ claims: { aud: "another" } }, /aud/],
    "a token for nobody": [{ claims: { aud: undefined } }, /aud/],
    "a token for several, of which one is not us": [
      { claims: { aud: ["wharf", "another"], azp: "another" } },
      /azp/,
    ],
    "a token of another issuer": [{ claims: { iss: "https://accounts.example" } }, /iss/],
    "a token that has ended": [{ claims: { iat: now() - 900, exp: now() - 600 } }, /exp/],
    "a token of the future": [{ claims: { iat: now() + 600, exp: now() + 900 } }, /iat/],
    "a token that does not end": [{ claims: { exp: undefined } }, /exp/],
    "a token of tomorrow": [{ claims: { nbf: now() + 86_400 } }, /nbf/],
    "a token about nobody": [{ claims: { sub: undefined } }, /sub/],
    "a token about a number": [{ claims: { sub: 7 } }, /sub/],
    "a token that nobody signed": [{ signedBy: "nobody" }, /alg/],
    "a token that another signed": [{ signedBy: "another key" }, /signature/],
    "a token that our own secret signed": [{ signedBy: "the client secret" }, /alg/],
    "no ID token": [{ answer: { id_token: undefined } }, /id_token/],
    "no JWT": [{ answer: { id_token: "nonsense" } }, /JWT/],
    "an answer of another provider": [{ callback: { iss: "https://accounts.example" } }, /iss/],
    "an answer without the promised issuer": [
      { discovery: { authorization_response_iss_parameter_supported: true } },
      /iss/,
    ],
    "two codes": [{ callback: { code: "c0de", "code ": "x", error: "odd" } }, /odd/],
    "a refusal": [{ callback: { error: "login_required" } }, /login_required/],
    "an answer with status 500": [{ token: (response) => answer(response, 500) }, /status/],
    "an answer that is no JSON": [
      { token: (response) => void response.end("<html>") },
      /body|JSON|content/i,
    ],
    "an answer that is null": [{ token: (response) => void response.end("null") }, /body|JSON/i],
    "an answer that is a list": [{ token: (response) => void response.end("[]") }, /body|resp/i],
    "another person's details": [
      { claims: { email: undefined }, userInfo: { sub: "another", email: "ceo@acme.example" } },
      /sub/,
    ],
  };
  for (const [title, [fault, why]] of Object.entries(refusals)) {
    attack(
      title,
      () => world,
      async (app) => {
        const { redirect, page } = await logInWith(app, fault);
        assert.equal(redirect.get("error"), "access_denied", page.text);
        const text = redirect.get("error_description") ?? "";
        assert.ok(text.includes(NOT_LET_THROUGH), text);
        assert.match(text.slice(text.indexOf(NOT_LET_THROUGH) + NOT_LET_THROUGH.length), why);
        assert.equal(redirect.get("state"), app.state);
        assert.equal(redirect.has("code"), false);
      },
    );
  }

  attack(
    "an endless response",
    () => world,
    async (app) => {
      const token = (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = () => {
          if (!response.destroyed) response.write(" ".repeat(65_536), () => setImmediate(more));
        };
        more();
      };
      const { redirect } = await logInWith(app, { token });
      assert.equal(redirect.get("error"), "temporarily_unavailable");
      assert.match(redirect.get("error_description") ?? "", /the response is too large/);
    },
  );

  attack(
    "an endpoint that redirects",
    () => world,
    async (app) => {
      let visits = 0;
      const elsewhere = createServer((_, response) => {
        visits += 1;
        response.end("{}");
      }).listen(0, "127.0.0.1");
      await once(elsewhere, "listening");
      const { port } = elsewhere.address() as AddressInfo;
      const location = `http://127.0.0.1:${port}/token`;
      const token = (response: ServerResponse) => void response.writeHead(307, { location }).end();
      const { redirect } = await logInWith(app, { token }).finally(() => elsewhere.close());
      assert.equal(redirect.get("error"), "access_denied");
      assert.equal(visits, 0, "a redirect was followed");
    },
  );

  for (const [endpoint, why] of [
    ["http://10.0.0.1/token", /only https is trusted/],
    ["https://10.0.0.1/token", /the address is not public/],
    ["https://[fd00::1]/token", /the address is not public/],
  ] as const) {
    attack(
      `an endpoint at ${endpoint}`,
      () => world,
      async (app) => {
        const { redirect } = await logInWith(app, { discovery: { token_endpoint: endpoint } });
        assert.equal(redirect.get("error"), "temporarily_unavailable");
        assert.match(redirect.get("error_description") ?? "", why);
      },
    );
  }

  for (const [title, discovery] of Object.entries({
    "one that says it is another": { issuer: "https://accounts.example" },
    "one that does not say who it is": { issuer: undefined },
    "one whose pages are a script": { authorization_endpoint: "javascript:alert(1)" },
    "one without pages": { authorization_endpoint: undefined },
  })) {
    attack(
      title,
      () => world,
      async (app) => {
        const { page } = await logInWith(app, { discovery });
        assert.ok([400, 403, 503].includes(page.status), `${page.status} ${page.text}`);
        assert.match(page.text, /Request ID/);
        assert.doesNotMatch(page.text, /javascript:/);
      },
    );
  }

  describe("a provider that forwards users to another provider (mix-up)", () => {
    let theirs: string;
    const named = { authorization_response_iss_parameter_supported: true };
    before(async () => {
      const { body } = await world.http.post("/iam/v2beta1/groups", { name: "anyones" });
      const made = await world.http.post(`/iam/v2beta1/identityProviders/${body.uid}`, {
        name: "rogue",
        defaultRole: roleNamed("viewer"),
        oidc: { issuer: rogue.url, clientId: rogue.client.id, clientSecret: rogue.client.secret },
      });
      theirs = made.body.uid;
    });

    attack(
      "is not used without the iss response parameter (RFC 9207)",
      () => world,
      async (app) => {
        const { page } = await logInWith(app, {}, { idp_id: theirs });
        assert.match(page.text, /the operator must verify its organization first/);
        assert.ok(page.url.startsWith(world.server.url));
      },
    );

    for (const [title, callback] of Object.entries({
      "is given no code of one that does not name itself": {},
      "is given no code of one that names itself": { iss: "https://accounts.example" },
    })) {
      attack(
        title,
        () => world,
        async (app) => {
          const fault = { discovery: named, callback };
          const { redirect } = await logInWith(app, fault, { idp_id: theirs });
          assert.equal(redirect.get("error"), "access_denied");
          assert.match(redirect.get("error_description") ?? "", /iss/);
          assert.ok(!rogue.asked.includes("/token"), "the code was sent");
        },
      );
    }

    attack(
      "gets no code when it omits the promised iss parameter",
      () => world,
      async (app) => {
        const { redirect } = await logInWith(app, { discovery: named }, { idp_id: theirs }, {});
        assert.equal(redirect.get("error"), "access_denied");
        assert.match(redirect.get("error_description") ?? "", /must verify its organization/);
        assert.ok(!rogue.asked.includes("/token"), "the code was sent");
      },
    );

    test("signs its own users in with the iss parameter", async () => {
      const app = await OAuthClient.start(world.server.url);
      const fault = { discovery: named, callback: { iss: rogue.url } };
      const { redirect } = await logInWith(app, fault, { idp_id: theirs });
      assert.equal(
        (await app.redeem(redirect)).status,
        200,
        redirect.get("error_description") ?? "",
      );
      app.stop();
    });
  });

  test("an e-mail address is verified only if email_verified says so", async () => {
    const app = await OAuthClient.start(world.server.url);
    const fault = {
      claims: { sub: "mixed", email: "ceo@acme.example", email_verified: undefined },
      userInfo: { sub: "mixed", email: "mixed@acme.example", email_verified: true, groups: [] },
    };
    await world.http.patch(`/iam/v2beta1/identityProviders/${uid}`, {
      oidc: {
        issuer: rogue.url,
        clientId: rogue.client.id,
        clientSecret: rogue.client.secret,
        groupsClaim: "groups",
      },
    });
    const { redirect } = await logInWith(app, fault);
    assert.equal((await app.redeem(redirect)).status, 200);
    assert.ok(rogue.asked.includes("/userinfo"));
    const identity = literalIdentityUid(rogue.url, "mixed");
    const { body } = await world.http.get(`/iam/v2beta1/identities/${identity}`);
    assert.deepEqual([body.email, body.emailUnverified], ["", "ceo@acme.example"]);
    app.stop();
  });
});

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json" }).end("{}");
}
