import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { decodeJwt } from "jose";
import { Http } from "./support/client/http.ts";
import { askForToken, exchange } from "./support/client/tokens.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

const WEEK_S = 7 * 24 * 3_600;

for (const store of STORES) {
  describe(`sessions of users on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ login: true, store });
    });
    after(() => world.stop());

    const rest = (token: string) => new Http(world.server.url, token);
    const alive = async (token: string) => (await rest(token).get("/auth/v1/ok")).status;
    const refresh = (token: string, body = "") =>
      fetch(`${world.server.url}/sts/exchange_refresh_token`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/x-www-form-urlencoded",
        },
        body,
      });

    test("a sign-in issues a token with subject, method and expiry", async () => {
      const { access_token: token } = await world.login.logIn("ada");
      const claims = decodeJwt(token);
      assert.equal(claims.aud, world.server.url);
      assert.deepEqual(claims.act, { iss: world.login.upstream.issuer, sub: "ada" });
      assert.equal(claims.email, "ada@acme.example");
      assert.equal(claims.email_verified, true);
      assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 3600);
      const me = (await rest(token).get("/auth/v1/ok")).body;
      assert.equal(me.subject, claims.sub);
      assert.equal(me.email, "ada@acme.example");
      assert.equal(me.profile.name, "Ada");
      const [held] = me.capabilities;
      assert.equal(held.group.id, world.login.organization);
      assert.equal(held.role.name, "viewer");
      assert.deepEqual(held.capabilities, []);
    });

    test("the default role is bound at the first sign-in only", async () => {
      const { access_token: token } = await world.login.logIn("bob");
      const identity = decodeJwt(token).sub as string;
      const bindings = async () =>
        (await world.http.get(`/iam/v2beta1/roleBindings?identity=${identity}`)).body.roleBindings;
      const [binding, ...others] = await bindings();
      assert.equal(others.length, 0);
      assert.equal(binding.role.name, "viewer");
      assert.equal(binding.identity.email, "bob@acme.example");
      await world.http.delete(`/iam/v2beta1/roleBindings/${binding.uid}`);
      assert.equal((await world.login.logIn("bob")).status, 200);
      assert.deepEqual(await bindings(), []);
    });

    test("an unverified address is shown as unverified", async () => {
      const { access_token: token } = await world.login.logIn("eve");
      const me = (await rest(token).get("/auth/v1/ok")).body;
      assert.equal(me.email, "");
      const { sub = "" } = decodeJwt(token);
      const { body } = await world.http.get(`/iam/v2beta1/identities/${sub}`);
      assert.equal(body.email, "");
      assert.equal(body.emailUnverified, "ada@acme.example");
    });

    test("refresh tokens have the format that clients parse, and rotate", async () => {
      const first = await world.login.logIn("ada");
      const seen = JSON.parse(Buffer.from(first.refresh_token, "base64").toString("utf8"));
      assert.ok(seen.exp > Date.now() / 1000);
      const response = await refresh(first.refresh_token, `aud=${world.server.url}`);
      assert.equal(response.status, 200);
      const pair = (await response.json()) as {
        token: { token: string };
        refreshToken: { token: string };
      };
      assert.equal(await alive(pair.token.token), 200);
      assert.notEqual(pair.refreshToken.token, first.refresh_token);
      const again = await askForToken(world.server.url, {
        grant_type: "refresh_token",
        refresh_token: pair.refreshToken.token,
      });
      assert.equal(again.status, 200);
      assert.equal(await alive(again.access_token), 200);
    });

    test("a refresh token ends after a week without use, and with its session", async () => {
      const refreshed = async (token: string) => {
        const pair = (await (await refresh(token)).json()) as Record<string, { token: string }>;
        const { iat = 0, sid } = decodeJwt(pair.token?.token ?? "");
        const next = pair.refreshToken?.token ?? "";
        return { next, iat, sid, exp: JSON.parse(Buffer.from(next, "base64").toString()).exp };
      };
      const { refresh_token: first } = await world.login.logIn("ada");
      const { next, iat, sid, exp } = await refreshed(first);
      assert.equal(exp, iat + WEEK_S);
      const expires = (iat + WEEK_S / 7) * 1000;
      const direct = await DirectStore.open(world.server);
      const sql = "UPDATE sessions SET expires = ? WHERE id = ?";
      await direct.store.write((tx) => tx.run(sql, expires, String(sid)));
      await direct.close();
      assert.equal((await refreshed(next)).exp * 1000, expires);
    });

    test("a down-scoped session stays down-scoped on refresh", async () => {
      const {
        http: operator,
        login: { organization },
      } = world;
      const make = async (name: string): Promise<string> =>
        (await operator.post(`/iam/v2beta1/groups/${organization}`, { name })).body.uid;
      const [folder, other] = [await make("folder"), await make("other")];
      const seen = async (token: string) => {
        const { body } = await rest(token).get("/iam/v2beta1/groups");
        return body.groups.map((group: { uid: string }) => group.uid);
      };
      const first = await world.login.logIn("ada", { scope: folder });
      assert.deepEqual(await seen(first.access_token), [folder]);
      const next = await refresh(first.refresh_token);
      const pair = (await next.json()) as Record<string, { token: string }>;
      assert.deepEqual(await seen(pair.token?.token ?? ""), [folder]);
      const again = { grant_type: "refresh_token", refresh_token: pair.refreshToken?.token ?? "" };
      for (const scopes of [organization, other]) {
        const wider = await askForToken(world.server.url, { ...again, scopes });
        assert.equal(wider.error, "invalid_request", "and costs nothing");
      }
      const last = await askForToken(world.server.url, { ...again, scope: "groups.list" });
      assert.deepEqual(await seen(last.access_token), [folder]);
      assert.equal((await rest(last.access_token).get(`/iam/v2beta1/groups/${other}`)).status, 403);
    });

    test("a down-scoped token ends its own session only", async () => {
      const [one, two] = [await world.login.logIn("ada"), await world.login.logIn("ada")];
      const aud = world.server.url;
      const made = await exchange(world.server.url, one.access_token, { aud, cap: "groups.list" });
      const narrowed = rest(made.token);
      const everywhere = await narrowed.post("/auth/v1/logout", { everywhere: true });
      assert.equal(everywhere.status, 403);
      assert.equal(everywhere.body.code, 7);
      const { sid } = decodeJwt(two.access_token);
      assert.equal((await narrowed.delete(`/auth/v1/sessions/${sid}`)).status, 404);
      assert.deepEqual([await alive(one.access_token), await alive(two.access_token)], [200, 200]);
      assert.equal((await narrowed.post("/auth/v1/logout", {})).status, 200);
      assert.deepEqual([await alive(one.access_token), await alive(two.access_token)], [401, 200]);
    });

    test("an invalid refresh request does not spend the token", async () => {
      const { refresh_token: token } = await world.login.logIn("ada");
      const wrong = await refresh(token, "aud=https://elsewhere.example");
      assert.equal(wrong.status, 400);
      assert.match(await wrong.text(), /is not an audience of this installation/);
      assert.equal((await refresh(token)).status, 200);
    });

    test("reuse of a refresh token ends the session", async () => {
      const first = await world.login.logIn("ada");
      const second = await askForToken(world.server.url, {
        grant_type: "refresh_token",
        refresh_token: first.refresh_token,
      });
      assert.equal(await alive(second.access_token), 200);
      assert.equal((await refresh(first.refresh_token)).status, 401);
      assert.equal(await alive(second.access_token), 401);
      assert.equal(await alive(first.access_token), 401);
      assert.equal((await refresh(second.refresh_token)).status, 401);
    });

    test("of concurrent refreshes at most one succeeds, and the session ends", async () => {
      const { refresh_token: token, access_token: access } = await world.login.logIn("ada");
      const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(token)));
      assert.ok(answers.filter(({ status }) => status === 200).length <= 1);
      assert.equal(await alive(access), 401);
    });

    test("signing out revokes every token of the session, also exchanged ones, and no other", async () => {
      const one = await world.login.logIn("ada");
      const other = await world.login.logIn("ada");
      const exchanged = await exchange(world.server.url, one.access_token, {
        aud: world.server.url,
      });
      assert.equal(exchanged.claims.sid, decodeJwt(one.access_token).sid);
      assert.deepEqual(exchanged.claims.act, { iss: world.login.upstream.issuer, sub: "ada" });
      assert.equal(exchanged.claims.email, "ada@acme.example");
      assert.equal(await alive(exchanged.token), 200);
      assert.equal((await rest(one.access_token).post("/auth/v1/logout")).status, 200);
      for (const token of [one.access_token, exchanged.token])
        assert.equal(await alive(token), 401);
      const late = await exchange(world.server.url, one.access_token, { aud: world.server.url });
      assert.equal(late.status, 401);
      assert.equal((await refresh(one.refresh_token)).status, 401);
      assert.equal(await alive(other.access_token), 200);
    });

    test("sessions are listed, paged and ended by their owner and by the administrator of the provider", async () => {
      const { access_token: bob } = await world.login.logIn("bob");
      await rest(bob).post("/auth/v1/logout", { everywhere: true });
      assert.equal(await alive(bob), 401);
      const tokens = [];
      for (let at = 0; at < 3; at++) tokens.push((await world.login.logIn("bob")).access_token);
      const [first = "", second = "", third = ""] = tokens;
      const page = (await rest(third).get("/auth/v1/sessions?page_size=2")).body;
      assert.equal(page.sessions.length, 2);
      assert.equal(page.sessions[0].current, true);
      assert.equal(page.sessions[0].identityProvider, world.login.provider);
      const rest2 = (
        await rest(third).get(`/auth/v1/sessions?page_size=2&page_token=${page.nextPageToken}`)
      ).body;
      assert.equal(rest2.sessions.length, 1);
      assert.equal(rest2.nextPageToken, "");
      assert.equal(rest2.sessions[0].id, decodeJwt(first).sid);

      const gone = await rest(third).delete(`/auth/v1/sessions/${decodeJwt(second).sid}`);
      assert.equal(gone.status, 200);
      assert.equal(await alive(second), 401);

      const { access_token: ada } = await world.login.logIn("ada");
      const foreign = await rest(ada).delete(`/auth/v1/sessions/${decodeJwt(third).sid}`);
      assert.equal(foreign.status, 404);
      // A viewer may list identity providers, and so who is logged in through them, but not end that.
      const listed = await rest(ada).get(
        `/auth/v1/sessions?identity_provider=${world.login.provider}`,
      );
      assert.equal(listed.status, 200);
      assert.ok(listed.body.sessions.length >= 3);
      assert.equal(
        (await rest(ada).get(`/auth/v1/sessions?identity=${decodeJwt(third).sub}`)).status,
        403,
      );
      const byOperator = await world.http.delete(`/auth/v1/sessions/${decodeJwt(third).sid}`);
      assert.equal(byOperator.status, 200);
      assert.equal(await alive(third), 401);
    });

    test("ended and live sessions stay so after a restart", async () => {
      const one = await world.login.logIn("ada");
      const other = await world.login.logIn("ada");
      await rest(one.access_token).post("/auth/v1/logout");
      await world.server.terminate();
      await world.server.restart();
      assert.equal(await alive(one.access_token), 401);
      assert.equal(await alive(other.access_token), 200);
      assert.equal((await refresh(other.refresh_token)).status, 200);
    });

    test("users can delete their own account only", async () => {
      const { access_token: bob } = await world.login.logIn("bob");
      const { access_token: ada } = await world.login.logIn("ada");
      const uid = decodeJwt(bob).sub as string;
      const foreign = await rest(ada).delete(`/auth/v1/delete/${uid}`);
      assert.equal(foreign.status, 403);
      assert.equal((await rest(bob).delete(`/auth/v1/delete/${uid}`)).status, 200);
      assert.equal(await alive(bob), 401);
      assert.equal((await world.http.get(`/iam/v2beta1/identities/${uid}`)).status, 404);
    });

    test("groups of the provider grant roles for the session, while they are mapped", async () => {
      const editor = builtinRole("editor")?.uid;
      const mapping = await world.http.post(
        `/iam/v2beta1/externalGroupRoleMappings/${world.login.provider}`,
        { externalGroupId: "builders", roleUid: editor },
      );
      assert.equal(mapping.status, 200, JSON.stringify(mapping.body));
      const { access_token: ada, refresh_token: none } = await world.login.logIn("ada");
      assert.equal(none, undefined);
      const { sub: identity } = decodeJwt(ada);
      const group = await rest(ada).get(`/iam/v2beta1/roleBindings?identity=${identity}`);
      assert.deepEqual(
        group.body.roleBindings.map((one: { role: { name: string } }) => one.role.name),
        ["viewer"],
      );
      const mayEdit = async (token: string) => {
        const { capabilities } = (await rest(token).get("/auth/v1/ok")).body;
        return JSON.stringify(capabilities).includes("subscriptions.create");
      };
      assert.equal(await mayEdit(ada), true);
      const exchanged = await exchange(world.server.url, ada, { aud: world.server.url });
      assert.equal(await mayEdit(exchanged.token), true);
      const listed = (await rest(ada).get("/auth/v1/sessions")).body.sessions[0];
      assert.deepEqual(listed.externalGroupRoleMappings, [mapping.body.uid]);

      // Out of the group: the next login no longer has it.
      // Out of the group: the next login no longer has it.
      world.login.upstream.accounts.set("ada", { email: "ada@acme.example", email_verified: true });
      const { access_token: later } = await world.login.logIn("ada");
      assert.equal(await mayEdit(later), false);
      // The mapping is gone: felt at once.
      await world.http.delete(`/iam/v2beta1/externalGroupRoleMappings/${mapping.body.uid}`);
      assert.equal(await mayEdit(ada), false);
      assert.equal(await alive(ada), 200);
    });

    test("deleting the identity provider ends its sessions", async () => {
      const { access_token: ada } = await world.login.logIn("ada");
      const gone = await world.http.delete(
        `/iam/v2beta1/identityProviders/${world.login.provider}`,
      );
      assert.equal(gone.status, 200, JSON.stringify(gone.body));
      assert.equal(await alive(ada), 401);
    });
  });
}
