import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import * as openid from "openid-client";
import type { Browser } from "playwright-core";
import { launchBrowser, openPage } from "./support/browser/browser.ts";
import { OpenIdProvider, signInAtProvider } from "./support/providers/openid-provider.ts";

describe("the OpenID provider for tests", () => {
  const callbacks = createServer((_request, response) => response.end("back")).listen(0);
  let callback: string;
  let browser: Browser;
  let provider: OpenIdProvider;

  before(async () => {
    if (!callbacks.listening) await once(callbacks, "listening");
    callback = `http://localhost:${(callbacks.address() as AddressInfo).port}/callback`;
    browser = await launchBrowser();
    provider = await OpenIdProvider.start({
      clients: [
        { id: "with-secret", secret: "a-secret", redirectUris: [callback] },
        { id: "public", redirectUris: [callback] },
      ],
      accounts: {
        "subject-1": {
          email: "one@acme.example",
          email_verified: true,
          groups: ["builders", "readers"],
          oid: "object-1",
        },
        "subject-2": { email: "two@acme.example", email_verified: false },
      },
    });
  });
  after(async () => {
    await browser?.close();
    await provider?.stop();
    callbacks.close();
  });

  const discover = (id: string, secret?: string) =>
    openid.discovery(new URL(provider.issuer), id, secret, secret ? undefined : openid.None(), {
      execute: [openid.allowInsecureRequests],
    });

  async function signIn(id: string, secret: string | undefined, login: string) {
    const config = await discover(id, secret);
    const verifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const expectedNonce = openid.randomNonce();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: "openid email profile",
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state: expectedState,
      nonce: expectedNonce,
    });
    const { page } = await openPage(browser);
    await page.goto(address.href);
    await signInAtProvider(page, { login });
    const returned = new URL(page.url());
    await page.context().close();
    const tokens = await openid.authorizationCodeGrant(config, returned, {
      pkceCodeVerifier: verifier,
      expectedState,
      expectedNonce,
    });
    return tokens.claims();
  }

  test("signs users in for a confidential client, with the chosen claims", async () => {
    const hits = provider.hits("/token");
    const claims = await signIn("with-secret", "a-secret", "subject-1");
    assert.equal(claims?.iss, provider.issuer);
    assert.equal(claims?.sub, "subject-1");
    assert.equal(claims?.email, "one@acme.example");
    assert.equal(claims?.email_verified, true);
    assert.deepEqual(claims?.groups, ["builders", "readers"]);
    assert.equal(claims?.oid, "object-1");
    assert.equal(provider.hits("/token"), hits + 1);
  });

  test("signs users in for a public client", async () => {
    const claims = await signIn("public", undefined, "subject-2");
    assert.equal(claims?.sub, "subject-2");
    assert.equal(claims?.email_verified, false);
  });

  test("changes the claims of a user between sign-ins", async () => {
    provider.accounts.set("subject-2", { email: "new@acme.example", groups: ["builders"] });
    const claims = await signIn("public", undefined, "subject-2");
    assert.equal(claims?.email, "new@acme.example");
    assert.deepEqual(claims?.groups, ["builders"]);
  });

  test("does not prompt users with a session", async () => {
    const { page } = await openPage(browser);
    const config = await discover("public");
    const verifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: "openid",
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    await page.goto(address.href);
    await signInAtProvider(page, { login: "subject-1" });
    await page.goto(address.href);
    assert.equal(page.url().split("?")[0], callback);
  });

  test("rejects a public client without PKCE, and a wrong secret", async () => {
    const config = await discover("public");
    const { page } = await openPage(browser);
    await page.goto(
      openid.buildAuthorizationUrl(config, { redirect_uri: callback, scope: "openid" }).href,
    );
    assert.equal(new URL(page.url()).searchParams.get("error"), "invalid_request");
    await assert.rejects(signIn("with-secret", "wrong", "subject-1"), { error: "invalid_client" });
  });

  test("stops, and restarts at the same address", async () => {
    const keys = await (await fetch(`${provider.issuer}/jwks`)).text();
    await provider.stop();
    await assert.rejects(fetch(`${provider.issuer}/jwks`));
    await provider.resume();
    assert.equal(await (await fetch(`${provider.issuer}/jwks`)).text(), keys);
    assert.equal((await signIn("public", undefined, "subject-1"))?.sub, "subject-1");
  });
});
