import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HttpBrowser, type Visited } from "./support/browser/http-browser.ts";
import { Http } from "./support/client/http.ts";
import type { OAuthClient } from "./support/client/tokens.ts";
import { STORES } from "./support/server/test-server.ts";
import { attack } from "./support/world/login.ts";
import { World } from "./support/world/world.ts";

const ENDED = "This sign-in has expired, was already used, or was started in another browser.";

/** Addresses that must never be sent a code or a token. */
const ELSEWHERE = [
  "https://evil.example/callback",
  "http://evil.example/callback",
  "https://127.0.0.1:1234/callback",
  "http://localhost@evil.example/",
  "http://localhost:80@evil.example/",
  "http://user@127.0.0.1:1234/",
  "http://user:secret@localhost:1234/",
  "http://localhost.evil.example/",
  "http://127.0.0.1.evil.example/",
  "http://127.evil.example/",
  "http://evil.example\\@localhost/",
  "http://127.0.0.1:1234/#there",
  "http://0.0.0.0:1234/",
  "http://[::ffff:203.0.113.7]:1234/",
  "javascript:alert(1)",
  "data:text/html,hello",
  "file:///etc/passwd",
  "//evil.example/",
  "/callback",
  "localhost:1234/callback",
  "",
];

for (const store of STORES) {
  describe(`attacks on sign-ins on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ login: true, store });
      await world.login.logIn("ada");
    });
    after(() => world.stop());
    const here = () => world;
    const url = (path: string) => `${world.server.url}${path}`;
    const alive = async (token: string) =>
      (await new Http(world.server.url, token).get("/auth/v1/ok")).status;

    /** A login of ada that has come to its end: what the tool's address is called with. */
    const finished = async (app: OAuthClient, browser = new HttpBrowser()) => {
      const address = app.loginUrl({ idp_id: world.login.provider });
      const page = await world.login.signIn(browser, address, "ada", app.redirectUri);
      return new URL(page.url).searchParams;
    };

    /** A login of ada whose browser is about to come back from the provider. */
    const comingBack = async (app: OAuthClient) => {
      const browser = new HttpBrowser();
      const address = app.loginUrl({ idp_id: world.login.provider });
      const page = await world.login.signIn(browser, address, "ada", url("/oauth/callback"));
      return { browser, callback: page.url };
    };

    const refused = (page: Visited, status: number, text: string) => {
      assert.equal(page.status, status, page.text);
      assert.ok(page.text.includes(text), page.text);
    };

    describe("with codes", () => {
      const invalid = async (answer: ReturnType<OAuthClient["redeem"]>) => {
        const { status, error, error_description: text, access_token: token } = await answer;
        assert.deepEqual([status, error, token], [400, "invalid_grant", undefined]);
        assert.match(text, /the code has expired, was already used, or belongs to another client/);
      };

      attack("reuse of a code ends the session that it opened", here, async (app) => {
        const callback = await finished(app);
        const first = await app.redeem(callback);
        assert.equal(await alive(first.access_token), 200);
        await invalid(app.redeem(callback));
        assert.equal(await alive(first.access_token), 401);
      });

      const challengeOf = (app: OAuthClient) =>
        new URL(app.loginUrl()).searchParams.get("code_challenge") ?? "";
      for (const [title, change] of [
        ["the wrong verifier", () => ({ code_verifier: "x".repeat(43) })],
        ["no verifier", () => ({ code_verifier: "" })],
        ["the challenge", (app: OAuthClient) => ({ code_verifier: challengeOf(app) })],
        ["another address", () => ({ redirect_uri: "http://127.0.0.1:1/callback" })],
        ["no address", () => ({ redirect_uri: "" })],
      ] as const) {
        attack(`a code with ${title} is spent by the attempt`, here, async (app) => {
          const callback = await finished(app);
          await invalid(app.redeem(callback, change(app)));
          await invalid(app.redeem(callback));
        });
      }

      attack(
        "of eight concurrent redemptions, one succeeds and its session then ends",
        here,
        async (app) => {
          const callback = await finished(app);
          const answers = await Promise.all(Array.from({ length: 8 }, () => app.redeem(callback)));
          const [winner, ...others] = answers.filter(({ status }) => status === 200);
          assert.deepEqual(others, []);
          assert.equal(await alive(winner?.access_token ?? ""), 401);
        },
      );

      attack("values that are not codes", here, async (app) => {
        const page = await new HttpBrowser().open(app.loginUrl());
        const ticket = ticketOf(page);
        for (const code of ["", "x", ticket, "a".repeat(60_000)])
          await invalid(app.redeem(new URLSearchParams({ code })));
      });
    });

    describe("with authorization parameters", () => {
      for (const [title, changed, text] of [
        ["plain PKCE", { code_challenge_method: "plain" }, "must be an S256 challenge"],
        ["no method", { code_challenge_method: "" }, "must be an S256 challenge"],
        ["no challenge", { code_challenge: "" }, "must be an S256 challenge"],
        ["a short challenge", { code_challenge: "abc" }, "must be an S256 challenge"],
        ["a foreign audience", { audience: "https://bank.example" }, "is not an audience of this"],
        ["a scope that is none", { scope: "Everything!" }, "must be uids or names of groups"],
        ["an identity that is none", { identity: "ci" }, "must be the uid of an identity"],
        ["a key that is none", { headless_code: "abc" }, "must be an X25519 public key"],
        ["a key of low order", { headless_code: "A".repeat(43) }, "must be an X25519 public key"],
        ["the key one", { headless_code: `AQ${"A".repeat(41)}` }, "must be an X25519 public key"],
      ] as const) {
        attack(`${title} is rejected at the first page`, here, async (app) => {
          const browser = new HttpBrowser();
          refused(await browser.open(app.loginUrl(changed)), 400, text);
        });
      }

      for (const address of ELSEWHERE) {
        attack(`no redirect to ${address || "an empty address"}`, here, async (app) => {
          const browser = new HttpBrowser();
          const asked = { idp_id: world.login.provider };
          const code = await browser.open(app.loginUrl({ ...asked, redirect_uri: address }));
          refused(code, 400, "must be an http URL with a loopback address");
          const query = new URLSearchParams({ exit: "redirect", redirect: address, ...asked });
          const token = await browser.open(url(`/oauth?${query}`));
          refused(token, 400, "must be an http URL with a loopback address");
        });
      }
    });

    describe("with the browser", () => {
      attack("a forged state", here, async () => {
        const browser = new HttpBrowser();
        await browser.open(url("/oauth"));
        for (const state of ["", "forged", "A".repeat(43)])
          refused(await browser.open(url(`/oauth/callback?code=c&state=${state}`)), 403, ENDED);
        refused(await browser.open(url("/oauth/callback?code=c")), 403, ENDED);
      });

      attack("an attacker's sign-in, finished in the victim's browser", here, async (app) => {
        const { callback } = await comingBack(app);
        const victim = new HttpBrowser();
        await victim.open(url("/oauth"));
        refused(await victim.open(callback), 403, ENDED);
      });

      attack("an attacker's sign-in, finished in a browser without one", here, async (app) => {
        const { callback } = await comingBack(app);
        refused(await new HttpBrowser().open(callback), 403, ENDED);
      });

      attack("a replayed callback", here, async (app) => {
        const { browser, callback } = await comingBack(app);
        const done = await browser.open(callback, app.redirectUri);
        assert.ok(new URL(done.url).searchParams.has("code"));
        refused(await browser.open(callback), 403, ENDED);
      });

      attack("an attacker's code with the victim's state", here, async (app) => {
        const { callback } = await comingBack(app);
        const other = await comingBack(app);
        const mixed = new URL(other.callback);
        mixed.searchParams.set("code", new URL(callback).searchParams.get("code") ?? "");
        const page = await other.browser.open(mixed.href, app.redirectUri);
        const returned = new URL(page.url).searchParams;
        assert.equal(returned.get("error"), "access_denied");
        assert.equal(returned.has("code"), false);
      });

      attack("a page's ticket as the state", here, async (app) => {
        const browser = new HttpBrowser();
        const ticket = ticketOf(await browser.open(app.loginUrl()));
        const page = await browser.open(
          url(`/oauth/callback?code=c&state=${ticket}`),
          app.redirectUri,
        );
        const returned = new URL(page.url).searchParams;
        assert.equal(returned.get("error"), "access_denied");
        assert.match(
          returned.get("error_description") ?? "",
          /this sign-in was not started with an identity provider/,
        );
      });

      attack("a page's form, sent twice", here, async (app) => {
        const browser = new HttpBrowser();
        const page = await browser.open(app.loginUrl());
        const again = await browser.submit(page, { organization: "nobody" });
        assert.equal(again.status, 400);
        refused(await browser.submit(page, { organization: "acme.example" }), 403, ENDED);
      });

      attack("a page's form, sent from another browser", here, async (app) => {
        const other = new HttpBrowser();
        await other.open(url("/oauth"));
        for (const thief of [new HttpBrowser(), other]) {
          const page = await new HttpBrowser().open(app.loginUrl());
          const sent = await thief.submit(page, { organization: "acme.example" });
          refused(sent, 403, ENDED);
        }
      });

      for (const path of ["/oauth/accept", "/oauth/confirm"]) {
        attack(`${path} before sign-in`, here, async (app) => {
          const browser = new HttpBrowser();
          const page = await browser.open(app.loginUrl());
          const moved = { ...page, text: page.text.replaceAll("/oauth/provider", path) };
          const sent = await browser.submit(moved, { decision: "allow" }, { action: path });
          refused(sent, 403, "Sign in first.");
        });
      }

      test("steps require POST", async () => {
        for (const path of ["/oauth/provider", "/oauth/accept", "/oauth/confirm"]) {
          const { status } = await fetch(url(`${path}?login=x&decision=allow`));
          assert.ok(status === 404 || status === 405, `${path}: ${status}`);
        }
      });
    });
  });
}

function ticketOf(page: Visited): string {
  return /name="login" value="([^"]+)"/.exec(page.text)?.[1] ?? assert.fail(page.text);
}
