import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Auth, literalIdentityUid } from "@wharf/contract";
import { decodeJwt } from "jose";
import { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { ScimClient } from "./support/providers/scim.ts";
import { TestServer } from "./support/server/test-server.ts";
import { onEachStore, roleNamed, World } from "./support/world/world.ts";

const OWNER = roleNamed("owner");

async function keepsOwner(work: Promise<unknown>): Promise<void> {
  const { code, violations } = await rejected(work);
  assert.deepEqual([code, violations], [9, ["LAST_OWNER"]]);
}

onEachStore(
  "owners who sign in through an identity provider",
  (world) => {
    let scim: ScimClient;
    let ada: { uid: string; api: ApiClient; binding: string };
    const leaves = (api: ApiClient, id: string) => api.call(Auth, "Delete", { id });
    const active = (value: boolean) => ({ op: "replace", path: "active", value });

    before(async () => {
      const { access_token: token } = await world.login.logIn("ada");
      const uid = decodeJwt(token).sub as string;
      const binding = await world.bind(world.login.organization, uid, "owner");
      ada = { uid, api: world.operator().as(token), binding };
    });

    /** Another owner while some work runs. */
    const withAnother = async (work: () => Promise<void>) => {
      const { uid } = await world.member();
      const binding = await world.bind(world.login.organization, uid, "owner");
      await work();
      await world.operator().roleBindings.delete(binding);
    };

    test("cannot delete their account as the last owner", async () => {
      await keepsOwner(leaves(ada.api, ada.uid));
      await keepsOwner(leaves(ada.api.trying(), ada.uid));
      await withAnother(async () => {
        await leaves(ada.api.trying(), ada.uid);
      });
    });

    test("keep the identity provider that the last of them signs in through", async () => {
      const { provider } = world.login;
      const { api } = ada;
      await keepsOwner(api.identityProviders.delete(provider));
      const oidc = { issuer: "https://other.example.com", clientSecret: "s", clientId: "wharf" };
      const mask = ["oidc.issuer", "oidc.client_secret"];
      await keepsOwner(api.identityProviders.update(provider, { oidc }, mask));
      await withAnother(async () => {
        await api.trying().identityProviders.delete(provider);
        await api.trying().identityProviders.update(provider, { oidc }, mask);
      });
    });

    test("cannot be deactivated as the last owner by provisioning", async () => {
      const { provider, organization } = world.login;
      const operator = world.operator();
      const { token, endpointUrl, etag } = await operator.identityProviders.generateScimToken({
        identityProviderUid: provider,
      });
      scim = new ScimClient(endpointUrl, token);
      await withAnother(async () => {
        const enabled = { identityProviderUid: provider, enabled: true, etag };
        await operator.identityProviders.setScimEnabled(enabled);
      });
      const user = { userName: "ada", externalId: "ada" };
      const { id } = (await scim.post("/Users", user)).body;
      const bob = (await scim.post("/Users", { userName: "bob", externalId: "bob" })).body;
      const refused = [
        await scim.patch(`/Users/${id}`, active(false)),
        await scim.put(`/Users/${id}`, { ...user, active: false }),
        await scim.patch(`/Users/${id}`, { op: "replace", path: "externalId", value: "eve" }),
        await scim.delete(`/Users/${id}`),
      ];
      for (const { status, body } of refused) {
        assert.equal(status, 400);
        assert.match(body.detail, /"acme\.example" would have no owner left/);
      }
      assert.equal((await scim.get(`/Users/${id}`)).body.active, true);
      assert.equal((await scim.patch(`/Users/${bob.id}`, active(false))).status, 200);
      assert.equal((await scim.delete(`/Users/${bob.id}`)).status, 204);
      const { access_token: again } = await world.login.logIn("ada");
      ada = { ...ada, api: operator.as(again) };
      await withAnother(async () => {
        assert.equal((await scim.patch(`/Users/${id}`, active(false))).status, 200);
        const inactive = await world.member();
        const other = await world.bind(organization, inactive.uid, "owner");
        await operator.as(inactive.token).roleBindings.delete(other);
      });
      const late = await world.member();
      const other = await world.bind(organization, late.uid, "owner");
      await keepsOwner(operator.as(late.token).roleBindings.delete(other));
      assert.equal((await scim.patch(`/Users/${id}`, active(true))).status, 200);
      await operator.as(late.token).roleBindings.delete(other);
    });

    test("by a group mapping do not count", async () => {
      const { provider, organization } = world.login;
      const operator = world.operator();
      const mapping = { externalGroupId: "builders", roleUid: OWNER };
      const { uid } = await operator.externalGroupRoleMappings.create(provider, mapping);
      await operator.roleBindings.delete(ada.binding);
      const { access_token: token } = await world.login.logIn("ada");
      const { externalGroupRoleMappings: mappings, identityProviders } = operator.as(token);
      await keepsOwner(mappings.delete(uid));
      const batch = { parent: provider, names: [uid] };
      await keepsOwner(mappings.batchDeleteExternalGroupRoleMappings(batch));
      await keepsOwner(identityProviders.delete(provider));
      await world.bind(organization, ada.uid, "owner");
      await mappings.delete(uid);
    });
  },
  { login: true },
);

test("owners who delete their accounts through two replicas cannot both leave", async () => {
  const issuer = await StandInIssuer.start();
  const flags = ["--base-url", "http://wharf.test", "--private-issuers", issuer.url];
  const world = await World.start({ store: "postgres", flags });
  world.onStop(() => issuer.stop());
  const other = await TestServer.start({ sameStoreAs: world.server, flags });
  try {
    for (let round = 0; round < 5; round++) {
      const org = await world.organization();
      const one = await registered(world, issuer, org);
      const two = await registered(world, issuer, org);
      const there = new ApiClient({ url: other.url, token: two.api.token });
      const done = await Promise.allSettled([
        one.api.call(Auth, "Delete", { id: one.uid }),
        there.call(Auth, "Delete", { id: two.uid }),
      ]);
      assert.equal(done.filter(({ status }) => status === "fulfilled").length, 1);
      const { roleBindings } = world.operator();
      const left = await roleBindings.list({ uidp: { childrenOf: org }, role: OWNER });
      assert.equal(left.totalCount, "1");
    }
  } finally {
    assert.equal(await other.stop(), 0);
    await world.stop();
  }
});

/** Registers an owner with a token of an issuer that is no identity provider of anyone. */
async function registered(world: World, issuer: StandInIssuer, org: string) {
  const invite = { roleUid: OWNER, ttl: "3600s" };
  const { code } = await world.operator().groupInvites.create(org, invite);
  const sub = world.name("person");
  const token = await issuer.sign({ sub, aud: "http://wharf.test" });
  const http = new Http(world.server.url, token);
  const { status, body } = await http.post("/auth/v1/register", { code });
  assert.equal(status, 200, JSON.stringify(body));
  const uid = literalIdentityUid(issuer.url, sub);
  return { uid, api: world.operator().as(await world.signer.token(uid)) };
}
