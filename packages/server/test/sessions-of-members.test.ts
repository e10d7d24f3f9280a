/** A caller who may delete every role binding of a person may end the sessions that they began without a provider. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { Http } from "./support/client/http.ts";
import { STORES } from "./support/server/test-server.ts";
import { PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

for (const store of STORES) {
  describe(`sessions of members, on ${store}`, () => {
    let world: World;
    let operator: Http;
    let organization: string;
    let ada: Person;
    let bob: Person;

    interface Person {
      readonly uid: string;
      readonly http: Http;
    }

    async function signIn(username: string): Promise<Person> {
      const { tokens } = await world.accounts.tryPassword(username, PASSWORD);
      const { subject } = await world.accounts.whoAmI(tokens);
      return { uid: subject, http: new Http(world.server.url, tokens?.access_token ?? "") };
    }

    const bind = async (group: string, identityUid: string, role: string) => {
      const roleUid = builtinRole(role)?.uid;
      const path = `/iam/v2beta1/roleBindings/${group}`;
      return (await operator.post(path, { identityUid, roleUid })).body.uid;
    };

    const sessionsOf = ({ uid }: Person, by: Person) =>
      by.http.get(`/auth/v1/sessions?identity=${uid}`);

    before(async () => {
      world = await World.start({ store });
      await world.accounts.setUp();
      operator = new Http(world.server.url, await world.server.token());
      ada = await signIn("ada");
      const { body } = await operator.get("/iam/v2beta1/groups?name=acme");
      organization = body.groups[0].uid;
      const invite = { roleUid: builtinRole("viewer")?.uid, ttl: "3600s", singleUse: true };
      const made = await operator.post(`/iam/v2beta1/groupInvites/${organization}`, invite);
      const browser = new HttpBrowser();
      const link = `${world.accounts.url}/oauth?invite=${encodeURIComponent(made.body.code)}`;
      const page = await browser.open(link);
      const form = await browser.submit(page, {}, { action: "/oauth/account" });
      const account = { username: "bob", password: PASSWORD, password_again: PASSWORD };
      await browser.submit(form, account);
      bob = await signIn("bob");
    });
    after(() => world.stop());

    test("are ended by an owner, who does not learn where the person is", async () => {
      const { status, body } = await sessionsOf(bob, ada);
      assert.equal(status, 200, JSON.stringify(body));
      const [session] = body.sessions;
      assert.deepEqual([session.remoteAddress, session.userAgent], ["", ""]);
      assert.equal((await ada.http.delete(`/auth/v1/sessions/${session.id}`)).status, 200);
      assert.equal((await bob.http.get("/auth/v1/ok")).status, 401);
      bob = await signIn("bob");
    });

    test("are no matter of those who can take away only some roles, or none", async () => {
      const { body: elsewhere } = await operator.post("/iam/v2beta1/groups", { name: "elsewhere" });
      const other = await bind(elsewhere.uid, bob.uid, "viewer");
      const [own] = (await sessionsOf(bob, bob)).body.sessions;
      assert.equal((await sessionsOf(bob, ada)).status, 403);
      assert.equal((await ada.http.delete(`/auth/v1/sessions/${own.id}`)).status, 404);
      // A viewer, about the owner.
      assert.equal((await sessionsOf(ada, bob)).status, 403);
      const [hers] = (await sessionsOf(ada, ada)).body.sessions;
      assert.equal((await bob.http.delete(`/auth/v1/sessions/${hers.id}`)).status, 404);
      assert.equal((await operator.delete(`/iam/v2beta1/roleBindings/${other}`)).status, 200);
      assert.equal((await sessionsOf(bob, ada)).status, 200);
      // A person without any role, and an anonymous caller.
      const { body } = await operator.get(`/iam/v2beta1/roleBindings?identity=${bob.uid}`);
      for (const { uid } of body.roleBindings)
        await operator.delete(`/iam/v2beta1/roleBindings/${uid}`);
      assert.equal((await sessionsOf(bob, ada)).status, 403);
      assert.equal((await sessionsOf({ ...bob, uid: "0".repeat(40) }, ada)).status, 403);
      assert.equal((await bob.http.get("/auth/v1/ok")).status, 200);
    });
  });
}
