import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { RefreshTokens } from "../src/auth/refresh-token.ts";
import { HttpBrowser, type Visited } from "./support/browser/http-browser.ts";
import { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { closeGrpc } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import {
  askForToken,
  exchange,
  HeadlessClient,
  type TokenAnswer,
} from "./support/client/tokens.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { attack, loginRowCounts } from "./support/world/login.ts";
import { roleNamed, World } from "./support/world/world.ts";

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

for (const store of STORES) {
  describe(`attacks with tokens of users on ${store}`, () => {
    let world: World;
    let ada: TokenAnswer;
    let bob: TokenAnswer;
    before(async () => {
      world = await World.start({ login: true, store });
      world.login.upstream.accounts.set("ada", { email: "ada@acme.example", email_verified: true });
      ada = await world.login.logIn("ada");
      bob = await world.login.logIn("bob");
    });
    after(async () => {
      closeGrpc();
      await world.stop();
    });
    const here = () => world;
    const url = (path: string) => `${world.server.url}${path}`;
    const rest = (token: string) => new Http(world.server.url, token);
    const alive = async (token: string) => (await rest(token).get("/auth/v1/ok")).status;

    /** At both doors; the messages. */
    const refresh = async (token: string): Promise<[number, string][]> => {
      const headers = { authorization: `Bearer ${token}` };
      const own = await fetch(url("/sts/exchange_refresh_token"), { method: "POST", headers });
      const form = { grant_type: "refresh_token", refresh_token: token };
      const { status, error } = await askForToken(world.server.url, form);
      return [
        [own.status, ((await own.json()) as { message: string }).message],
        [status, error],
      ];
    };
    const refused = async (token: string, message: string) => {
      assert.deepEqual(await refresh(token), [
        [401, `Unauthenticated: ${message}`],
        [400, "invalid_grant"],
      ]);
      for (const one of [ada, bob]) assert.equal(await alive(one.access_token), 200);
    };
    const parts = (token: string) => JSON.parse(Buffer.from(token, "base64").toString("utf8"));
    const written = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64");

    describe("refresh tokens", () => {
      for (const [title, change] of Object.entries({
        "of a later generation": { gen: 1 },
        "of an earlier generation": { gen: -1 },
        "that lasts longer": { exp: 4_102_444_800 },
        "without a code": { mac: "" },
        "with a short code": { mac: "AAAA" },
        "with a code that is no text": { mac: 7 },
      })) {
        attack(`one ${title}`, here, async () => {
          const token = written({ ...parts(ada.refresh_token), ...change });
          await refused(token, "the refresh token is malformed");
        });
      }

      attack("one with the session id of another", here, async () => {
        const { sid } = parts(bob.refresh_token);
        const token = written({ ...parts(ada.refresh_token), sid });
        await refused(token, "the refresh token is malformed");
      });

      attack("values that are not refresh tokens", here, async () => {
        for (const token of ["AAAA", "bnVsbA==", "W10=", ada.access_token, "A".repeat(4_000)])
          await refused(token, "the refresh token is malformed");
      });

      attack("an expired one, and one of an unknown session", here, async () => {
        const direct = await DirectStore.open(world.server);
        const key = (await direct.installation).get("refresh-tokens");
        await direct.close();
        const tokens = new RefreshTokens(() => key);
        const { sid: session } = parts(ada.refresh_token);
        const old = tokens.write({ session, generation: 0, expires: Date.now() - 1_000 });
        await refused(old, "the refresh token has expired");
        const expires = Date.now() + 60_000;
        const none = tokens.write({ session: "none", generation: 0, expires });
        await refused(none, "the session has ended");
      });

      attack("as an access token", here, async () => {
        assert.equal(await alive(ada.refresh_token), 401);
        const exchanged = await exchange(world.server.url, ada.refresh_token, {
          aud: world.server.url,
        });
        assert.notEqual(exchanged.status, 200);
      });

      attack("reuse of one ends the session", here, async () => {
        const { refresh_token: token, access_token: access } = await world.login.logIn("ada");
        assert.equal((await refresh(token))[0]?.[0], 200);
        assert.equal(await alive(access), 401);
        await refused(token, "the session has ended");
      });
    });

    attack("a token is rejected everywhere after sign-out", here, async () => {
      const session = await world.login.logIn("ada");
      const { access_token: token } = session;
      const { url: server } = world.server;
      assert.equal((await rest(token).post("/auth/v1/logout")).status, 200);
      for (const path of ["/auth/v1/ok", "/iam/v2beta1/groups", "/auth/v1/sessions"])
        assert.equal((await rest(token).get(path)).status, 401, path);
      const api = new ApiClient({ url: server, token, protocol: "gRPC", naming: "public" });
      assert.equal((await rejected(api.groups.list())).code, 16);
      const asked = api.securityToken.exchange({ aud: [server] });
      assert.equal((await rejected(asked)).code, 16);
      assert.equal((await exchange(server, token, { aud: server })).status, 401);
      const asOAuth = await askForToken(server, {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token: token,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        audience: server,
      });
      assert.equal(asOAuth.error, "invalid_grant");
      await refused(session.refresh_token, "the session has ended");
      assert.equal((await rest(token).post("/auth/v1/logout")).status, 401);
      const { sub } = decodeJwt(token);
      assert.equal((await rest(token).delete(`/auth/v1/delete/${sub}`)).status, 401);
    });

    attack("a down-scoped token cannot delete the account", here, async () => {
      const { url: server } = world.server;
      const cap = "groups.list";
      const narrow = await exchange(server, bob.access_token, { aud: server, cap });
      const { sub } = decodeJwt(bob.access_token);
      const answer = await rest(narrow.token).delete(`/auth/v1/delete/${sub}`);
      assert.equal(answer.status, 403);
      assert.equal(answer.body.code, 7);
      assert.equal(await alive(bob.access_token), 200);
    });

    test("a sign-in at an attacker's provider grants nothing elsewhere", async () => {
      const {
        http: operator,
        login: { upstream },
      } = world;
      const rival = (await operator.post("/iam/v2beta1/groups", { name: "rival" })).body.uid;
      const oidc = { issuer: upstream.issuer, clientId: "wharf", clientSecret: "s3cret" };
      const provider = { name: "rival sso", defaultRole: roleNamed("editor"), oidc };
      const made = await operator.post(`/iam/v2beta1/identityProviders/${rival}`, provider);
      const lured = await world.login.logIn("ada", { idp_id: made.body.uid });
      const refreshed = await askForToken(world.server.url, {
        grant_type: "refresh_token",
        refresh_token: lured.refresh_token,
      });
      for (const { access_token: token } of [lured, refreshed]) {
        const groups = (await rest(token).get("/iam/v2beta1/groups")).body.groups;
        assert.deepEqual(
          groups.map((one: { uid: string }) => one.uid),
          [rival],
        );
      }
      await rest(lured.access_token).post("/auth/v1/logout", { everywhere: true });
      assert.equal(await alive(lured.access_token), 401);
      assert.equal(await alive(ada.access_token), 200);
    });

    test("equal e-mail addresses do not link accounts", async () => {
      const {
        login: { upstream },
      } = world;
      upstream.accounts.set("twin", { email: "ada@acme.example", email_verified: true });
      const before = await loginRowCounts(world);
      const twin = await world.login.logIn("twin");
      assert.notEqual(decodeJwt(twin.access_token).sub, decodeJwt(ada.access_token).sub);
      const after = await loginRowCounts(world);
      assert.equal(after.identities, (before.identities ?? 0) + 1);
    });

    describe("device and headless flows", () => {
      const device = async () => {
        const response = await fetch(url("/oauth/device_authorization"), {
          method: "POST",
          body: new URLSearchParams({ client_id: "tool" }),
        });
        return (await response.json()) as { device_code: string; user_code: string };
      };
      const poll = async (code: string) =>
        (await askForToken(world.server.url, { grant_type: DEVICE, device_code: code })).error;
      const type = async (browser: HttpBrowser, user_code: string) =>
        browser.submit(await browser.open(url("/device")), { user_code });

      /** Ada sees the question whether a tool is hers. */
      const asked = async (browser: HttpBrowser, code: string): Promise<Visited> => {
        const chosen = await browser.submit(
          await type(browser, code),
          { organization: "acme.example" },
          { action: "/oauth/provider", until: world.login.upstream.issuer },
        );
        return world.login.signIn(browser, chosen.url, "ada");
      };
      const allow = (browser: HttpBrowser, page: Visited) =>
        browser.submit(page, { decision: "allow" }, { action: "/oauth/confirm" });

      attack("a user code alone approves nothing", here, async () => {
        const browser = new HttpBrowser();
        const { user_code, device_code } = await device();
        const page = await type(browser, user_code);
        const moved = { ...page, text: page.text.replaceAll("/oauth/provider", "/oauth/confirm") };
        assert.match((await allow(browser, moved)).text, /Sign in first/);
        assert.equal(await poll(device_code), "authorization_pending");
      });

      attack("a guessed code", here, async () => {
        const page = await type(new HttpBrowser(), "BBBB-BBBB");
        assert.equal(page.status, 400);
        assert.match(page.text, /No device is waiting with this code/);
      });

      attack("a device code with another secret", here, async () => {
        const { user_code, device_code } = await device();
        const browser = new HttpBrowser();
        await allow(browser, await asked(browser, user_code));
        const other = (await device()).device_code.split(".")[1];
        for (const code of [user_code, `${user_code}.`, `${user_code}.${other}`, "", "."])
          assert.equal(await poll(code), "expired_token", code);
        // It still waits for the right one, whose session is then ended.
        const form = { grant_type: DEVICE, device_code };
        const { access_token: token } = await askForToken(world.server.url, form);
        assert.equal((await rest(token).post("/auth/v1/logout")).status, 200);
      });

      attack("a repeated or changed confirmation", here, async () => {
        const { user_code, device_code } = await device();
        const browser = new HttpBrowser();
        const [first, second] = [await asked(browser, user_code), await asked(browser, user_code)];
        const denied = await browser.submit(first, { decision: "deny" }, { action: "/confirm" });
        assert.match(denied.text, /was not signed in/);
        assert.equal((await allow(browser, first)).status, 403);
        const late = await allow(browser, second);
        assert.equal(late.status, 403);
        assert.match(late.text, /No device is waiting with this code anymore/);
        assert.equal(await poll(device_code), "access_denied");
      });

      attack("a confirmation in another browser", here, async () => {
        const { user_code, device_code } = await device();
        const page = await asked(new HttpBrowser(), user_code);
        assert.equal((await allow(new HttpBrowser(), page)).status, 403);
        assert.equal(await poll(device_code), "authorization_pending");
      });

      attack("a flow or a code of a deleted user", here, async (app) => {
        world.login.upstream.accounts.set("gone", {
          email: "gone@acme.example",
          email_verified: true,
        });
        const { access_token: token } = await world.login.logIn("gone");
        const browser = new HttpBrowser();
        const login = app.loginUrl({ idp_id: world.login.provider });
        const page = await world.login.signIn(browser, login, "gone", app.redirectUri);
        const { user_code, device_code } = await device();
        const chosen = await browser.submit(
          await type(browser, user_code),
          { organization: "acme.example" },
          { action: "/oauth/provider" },
        );
        await allow(browser, chosen);
        const { sub } = decodeJwt(token);
        assert.equal((await rest(token).delete(`/auth/v1/delete/${sub}`)).status, 200);
        const redeemed = await app.redeem(new URL(page.url).searchParams);
        assert.deepEqual([redeemed.error, redeemed.access_token], ["invalid_grant", undefined]);
        assert.equal(await poll(device_code), "invalid_grant");
      });

      attack("a client that requests a foreign audience", here, async () => {
        const response = await fetch(url("/oauth/device_authorization"), {
          method: "POST",
          body: new URLSearchParams({ client_id: "tool", audience: "https://bank.example" }),
        });
        assert.equal(response.status, 400);
        assert.match(await response.text(), /is not an audience of this installation/);
      });

      attack("a reused public key", here, async () => {
        const app = new HeadlessClient();
        const browser = new HttpBrowser();
        const address = url(`/oauth?headless_code=${app.code}&idp_id=${world.login.provider}`);
        await allow(browser, await world.login.signIn(browser, address, "ada"));
        const sealed = await app.ask(world.server.url);
        assert.ok(sealed);
        const mallory = new HttpBrowser();
        const page = await allow(mallory, await world.login.signIn(mallory, address, "bob"));
        assert.equal(page.status, 400);
        assert.match(page.text, /A sign-in with this code was already completed/);
        assert.deepEqual(await app.ask(world.server.url), sealed);
        const token = app.open(sealed);
        const { url: server } = world.server;
        const exchanged = await exchange(server, token, { aud: server });
        assert.equal((await rest(exchanged.token).post("/auth/v1/logout")).status, 200);
      });
    });
  });
}
