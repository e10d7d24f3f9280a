import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { decodeJwt } from "jose";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { Http } from "./support/client/http.ts";
import { askForToken, OAuthClient } from "./support/client/tokens.ts";
import { ScimClient } from "./support/providers/scim.ts";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

for (const store of STORES) {
  describe(`sign-ins of provisioned users on ${store}`, () => {
    let world: World;
    let scim: ScimClient;
    before(async () => {
      world = await World.start({ login: true, store });
    });
    after(() => world.stop());

    const alive = async (token: string) =>
      (await new Http(world.server.url, token).get("/auth/v1/ok")).status;

    /** Tries to sign in, and returns the parameters of the redirect. */
    const refusedLogin = async (person: string) => {
      const app = await OAuthClient.start(world.server.url);
      const url = app.loginUrl({ idp_id: world.login.provider });
      const page = await world.login.signIn(new HttpBrowser(), url, person, app.redirectUri);
      app.stop();
      return new URL(page.url).searchParams;
    };

    /** Two owners by hand, a token, and on. */
    const switchOn = async () => {
      const {
        http: operator,
        login: { organization, provider },
      } = world;
      for (const subject of ["first", "second"]) {
        const claimMatch = { issuer: "https://issuer.example.com", subject };
        const identity = await operator.post(`/iam/v2beta1/identities/${organization}`, {
          name: subject,
          claimMatch,
        });
        await operator.post(`/iam/v2beta1/roleBindings/${organization}`, {
          identityUid: identity.body.uid,
          roleUid: builtinRole("owner")?.uid,
        });
      }
      const path = `/iam/v2beta1/identityProviders/${provider}`;
      const { token, etag } = (await operator.post(`${path}:generateScimToken`)).body;
      const on = await operator.post(`${path}:setScimEnabled`, { enabled: true, etag });
      assert.equal(on.status, 200, JSON.stringify(on.body));
      return new ScimClient(`${world.server.url}/scim/v2/${provider}`, token);
    };

    test("a session of a user who is not provisioned ends", async () => {
      const [before, guest] = [await world.login.logIn("bob"), await world.login.logIn("ada")];
      // A role in another organization is not for the provider to take away, but its session is.
      const invite = { roleUid: builtinRole("viewer")?.uid, ttl: "600s" };
      const { code } = await world.post(`groupInvites/${await world.organization()}`, invite);
      const joined = new Http(world.server.url, guest.access_token);
      assert.equal((await joined.post("/auth/v1/register", { code })).status, 200);
      scim = await switchOn();
      assert.equal(await alive(guest.access_token), 200);
      for (const { access_token, refresh_token } of [before, guest]) {
        const grant = { grant_type: "refresh_token", refresh_token };
        const refreshed = await askForToken(world.server.url, grant);
        assert.equal(refreshed.error, "invalid_grant");
        assert.equal(await alive(access_token), 401);
      }
    });

    test("users are not matched by e-mail address", async () => {
      const body = { userName: "bob@acme.example", externalId: "somebody else" };
      const mailed = { ...body, emails: [{ value: "bob@acme.example", primary: true }] };
      assert.equal((await scim.post("/Users", mailed)).status, 201);
      const returned = await refusedLogin("bob");
      assert.equal(returned.get("error"), "access_denied");
      assert.match(returned.get("error_description") ?? "", /has not provisioned this person/);
      assert.equal(returned.get("code"), null);
    });

    test("deactivating ends sessions immediately, and activating allows sign-in again", async () => {
      const { id } = (await scim.post("/Users", { userName: "ada", externalId: "ada" })).body;
      const session = await world.login.logIn("ada");
      assert.equal(await alive(session.access_token), 200);
      const off = [{ op: "replace", path: "active", value: false }];
      await scim.patch(`/Users/${id}`, ...off);
      assert.equal(await alive(session.access_token), 401);
      assert.equal((await refusedLogin("ada")).get("error"), "access_denied");
      const on = [{ op: "replace", path: "active", value: true }];
      await scim.patch(`/Users/${id}`, ...on);
      assert.equal(await alive(session.access_token), 401);
      assert.equal(await alive((await world.login.logIn("ada")).access_token), 200);
    });

    test("provisioned groups are mapped like those of the token", async () => {
      const { Resources } = (await scim.get('/Users?filter=externalId eq "ada"')).body;
      const members = [{ value: Resources[0].id }];
      const group = { displayName: "Platform", externalId: "g-1", members };
      assert.equal((await scim.post("/Groups", group)).status, 201);
      const mapping = await world.http.post(
        `/iam/v2beta1/externalGroupRoleMappings/${world.login.provider}`,
        { externalGroupId: "g-1", roleUid: builtinRole("editor")?.uid },
      );
      const { access_token: token } = await world.login.logIn("ada");
      const { sessions } = (await new Http(world.server.url, token).get("/auth/v1/sessions")).body;
      const mine = sessions.find((one: { current: boolean }) => one.current);
      assert.deepEqual(mine.externalGroupRoleMappings, [mapping.body.uid]);
    });

    test("a deprovisioned user cannot sign in", async () => {
      const session = await world.login.logIn("ada");
      const { Resources } = (await scim.get('/Users?filter=externalId eq "ada"')).body;
      await scim.delete(`/Users/${Resources[0].id}`);
      assert.equal(await alive(session.access_token), 401);
      assert.equal((await refusedLogin("ada")).get("error"), "access_denied");
      const { sub } = decodeJwt(session.access_token);
      assert.equal((await world.http.get(`/iam/v2beta1/identities/${sub}`)).status, 200);
    });
  });
}
