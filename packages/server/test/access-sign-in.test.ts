import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { literalIdentityUid } from "@wharf/contract";
import { issueToken } from "../src/auth/token.ts";
import { addSession } from "../src/store/tables/login/sessions.ts";
import { Http } from "./support/client/http.ts";
import { type Exchanged, exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { ScimClient } from "./support/providers/scim.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const GROUPS = "/iam/v2beta1/groups";
const PROVIDERS = "/iam/v2beta1/identityProviders";
const HOUR_MS = 3_600_000;

/**
 * Tests the organization in which a sign-in counts. The victim organization and a rival one use the same issuer, the
 * rival with the same client id or one of their own; every way to become Alice is tried in each.
 */
onEachStore("sign-ins at a shared issuer", (world) => {
  let issuer: StandInIssuer;
  let operator: Http;
  let acme: string;
  let acmeProvider: string;
  before(async () => {
    issuer = await StandInIssuer.start();
    operator = new Http(world.server.url, await world.server.token());
    acme = await world.organization("acme");
    acmeProvider = await provider(acme, "acme-client");
  });
  after(() => issuer.stop());

  const provider = async (group: string, clientId: string, api = operator): Promise<string> => {
    const oidc = { issuer: issuer.url, clientId, pkceEnabled: true, groupsClaim: "groups" };
    const body = { name: world.name("sso"), defaultRole: roleNamed("viewer"), oidc };
    const made = await api.post(`${PROVIDERS}/${group}`, body);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return made.body.uid;
  };
  const invite = async (group: string, role: string): Promise<string> => {
    const body = { roleUid: roleNamed(role), ttl: "600s" };
    return (await operator.post(`/iam/v2beta1/groupInvites/${group}`, body)).body.code;
  };
  const hostname = () => new URL(world.server.url).hostname;
  const uidOf = (sub: string) => literalIdentityUid(issuer.url, sub);
  /** Joins a group with a token that the issuer made for this installation itself. */
  const register = async (sub: string, group: string, role: string): Promise<string> => {
    const token = await issuer.sign({ sub, aud: hostname() });
    const code = await invite(group, role);
    const joined = await new Http(world.server.url, token).post("/auth/v1/register", { code });
    assert.equal(joined.status, 200, JSON.stringify(joined.body));
    return joined.body.identity;
  };
  const exchanged = async (claims: object, more: Record<string, string>): Promise<Exchanged> => {
    const { url } = world.server;
    return exchange(url, await issuer.sign(claims as never), { aud: url, ...more });
  };
  /** Signs in through a provider with an ID token of its client. */
  const through = (uid: string, sub: string, clientId: string, claims: object = {}) =>
    exchanged({ sub, aud: clientId, ...claims }, { identity_provider: uid });
  const direct = (sub: string) => exchanged({ sub, aud: hostname() }, {});
  const as = ({ token, message }: Exchanged): Http => {
    assert.notEqual(token, "", message);
    return new Http(world.server.url, token);
  };
  const mayRead = async (api: Http, group: string) =>
    (await api.get(`${GROUPS}/${group}`)).status === 200;

  for (const [what, clientId] of [
    ["another client", "rival-client"],
    ["the same client", "acme-client"],
  ] as const) {
    test(`another organization's provider with ${what} does not find users of others`, async () => {
      const sub = world.name("alice");
      await register(sub, acme, "owner");
      const rival = await provider(await world.organization(), clientId);
      const answer = await through(rival, sub, clientId);
      assert.equal(answer.status, 404, answer.message);
    });

    test(`another organization's provider with ${what} grants roles in its own organization only`, async () => {
      const sub = world.name("alice");
      const uid = await register(sub, acme, "owner");
      const organization = await world.organization();
      const rival = await provider(organization, clientId);
      // An owner can bind any identity: that makes Alice visible to the organization.
      await world.bind(organization, uid, "owner");
      const alice = as(await through(rival, sub, clientId));
      assert.equal(await mayRead(alice, organization), true);
      assert.equal(await mayRead(alice, acme), false);
      const listed = await alice.get(GROUPS);
      assert.deepEqual(
        listed.body.groups.map((one: { uid: string }) => one.uid),
        [organization],
      );
      const { capabilities } = (await alice.get("/auth/v1/ok")).body;
      assert.equal(capabilities.length, 1);
      const bound = { identityUid: uid, roleUid: roleNamed("viewer") };
      assert.equal((await alice.post(`/iam/v2beta1/roleBindings/${acme}`, bound)).status, 403);
    });

    test(`a session at another organization's provider with ${what} cannot assume an identity elsewhere`, async () => {
      const sub = world.name("alice");
      const uid = await register(sub, acme, "viewer");
      const trusting = await operator.post(`/iam/v2beta1/identities/${acme}`, {
        name: "deployer",
        claimMatch: { issuer: world.server.url, subject: uid, audience: world.server.url },
      });
      const identity = trusting.body.uid;
      await world.bind(acme, identity, "owner");
      const organization = await world.organization();
      const rival = await provider(organization, clientId);
      await world.bind(organization, uid, "viewer");
      const assume = async ({ token }: Exchanged) =>
        exchange(world.server.url, token, { aud: world.server.url, identity });
      /** The same at the registry's token endpoint, where the identity is the user name. */
      const atRegistry = async ({ token }: Exchanged) => {
        const basic = Buffer.from(`${identity.replaceAll("/", "_")}:${token}`).toString("base64");
        const query = new URLSearchParams({ service: new URL(world.server.url).host });
        const headers = { authorization: `Basic ${basic}` };
        return (await fetch(`${world.server.url}/registry/token?${query}`, { headers })).status;
      };
      const foreign = await through(rival, sub, clientId);
      assert.equal((await assume(foreign)).code, 7);
      assert.equal(await atRegistry(foreign), 401);
      const session = await through(acmeProvider, sub, "acme-client");
      assert.equal(await atRegistry(session), 200);
      const own = await assume(session);
      assert.equal(await mayRead(as(own), acme), true, own.message);
      assert.equal(await mayRead(as(await assume(await direct(sub))), acme), true);
    });

    test(`a session at another organization's provider with ${what} cannot end sessions elsewhere`, async () => {
      const sub = world.name("alice");
      const uid = await register(sub, acme, "viewer");
      const organization = await world.organization();
      const rival = await provider(organization, clientId);
      await world.bind(organization, uid, "viewer");
      const own = await through(acmeProvider, sub, "acme-client");
      const foreign = as(await through(rival, sub, clientId));
      const { sessions } = (await foreign.get("/auth/v1/sessions")).body;
      assert.deepEqual(
        sessions.map((one: { identityProvider: string }) => one.identityProvider),
        [rival],
      );
      assert.equal((await foreign.delete(`/auth/v1/sessions/${own.claims.sid}`)).status, 404);
      assert.equal((await foreign.post("/auth/v1/logout", { everywhere: true })).status, 200);
      assert.equal(await mayRead(as(own), acme), true);
      // Deleting the account there leaves what other organizations gave.
      const again = as(await through(rival, sub, clientId));
      assert.equal((await again.delete(`/auth/v1/delete/${uid}`)).status, 200);
      assert.equal((await again.get("/auth/v1/ok")).status, 401);
      assert.equal(await mayRead(as(own), acme), true);
      const bindings = await operator.get(`/iam/v2beta1/roleBindings?identity=${uid}`);
      assert.deepEqual(
        bindings.body.roleBindings.map((one: { group: { uid: string } }) => one.group.uid),
        [acme],
      );
    });
  }

  test("users sign in through their own provider, and with tokens for our audience", async () => {
    const sub = world.name("alice");
    await register(sub, acme, "viewer");
    assert.equal(await mayRead(as(await through(acmeProvider, sub, "acme-client")), acme), true);
    assert.equal(await mayRead(as(await direct(sub)), acme), true);
    assert.equal((await through(acmeProvider, sub, "rival-client")).code, 7);
  });

  test("accepting an invite allows the user's provider in that group only", async () => {
    const sub = world.name("consultant");
    await register(sub, acme, "viewer");
    const customer = await world.organization();
    const folder = await world.group(customer);
    const other = await world.group(customer);
    const consultant = as(await through(acmeProvider, sub, "acme-client"));
    const code = await invite(folder, "viewer");
    assert.equal((await consultant.post("/auth/v1/register", { code })).status, 200);
    assert.equal(await mayRead(consultant, folder), true);
    await world.bind(other, uidOf(sub), "viewer");
    assert.equal(await mayRead(consultant, other), false);
    assert.equal(await mayRead(as(await direct(sub)), other), true);
  });

  test("a user who creates an organization owns it in the same session", async () => {
    const sub = world.name("founder");
    await register(sub, acme, "viewer");
    const founder = as(await through(acmeProvider, sub, "acme-client"));
    const { uid } = (await founder.post(GROUPS, { name: world.name("startup") })).body;
    assert.equal(await mayRead(founder, uid), true);
    const later = as(await through(acmeProvider, sub, "acme-client"));
    assert.equal(await mayRead(later, uid), true);
  });

  test("a provider of a folder grants nothing above the folder", async () => {
    const sub = world.name("owner");
    const uid = await register(sub, acme, "owner");
    const folder = await world.group(acme);
    const below = await provider(folder, "folder-client");
    await world.bind(folder, uid, "viewer");
    const owner = as(await through(below, sub, "folder-client"));
    assert.equal(await mayRead(owner, folder), true);
    assert.equal(await mayRead(owner, acme), false);
    assert.equal((await owner.patch(`${GROUPS}/${folder}`, { description: "x" })).status, 403);
  });

  test("changing the client of a provider ends its sessions", async () => {
    const sub = world.name("alice");
    const organization = await world.organization();
    const uid = await provider(organization, "first");
    await register(sub, organization, "viewer");
    const session = as(await through(uid, sub, "first"));
    const customer = await world.organization();
    const code = await invite(customer, "viewer");
    assert.equal((await session.post("/auth/v1/register", { code })).status, 200);
    const moved = await operator.patch(`${PROVIDERS}/${uid}`, { oidc: { clientId: "second" } });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    assert.equal((await session.get("/auth/v1/ok")).status, 401);
    const later = as(await through(uid, sub, "second"));
    assert.equal(await mayRead(later, organization), true);
    // The customer trusted the first client, not whatever its owner names later.
    assert.equal(await mayRead(later, customer), false);
  });

  test("a session of the former client, opened after the change, does not count", async () => {
    const sub = world.name("alice");
    const organization = await world.organization();
    const uid = await provider(organization, "first");
    const identity = await register(sub, organization, "viewer");
    const moved = await operator.patch(`${PROVIDERS}/${uid}`, { oidc: { clientId: "second" } });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    const { url } = world.server;
    const direct = await DirectStore.open(world.server);
    // As a sign-in does that another replica began before the change.
    const sessionOf = async (clientId: string): Promise<Http> => {
      const now = Date.now();
      const session = world.name("session");
      const described = { person: JSON.stringify({ clientId }), mappings: "[]", generation: 0 };
      const times = { created: now, used: now, expires: now + HOUR_MS };
      const browser = { remoteAddress: "", userAgent: "" };
      await direct.store.write((tx) =>
        addSession(tx, {
          id: session,
          identity,
          provider: uid,
          ...described,
          ...times,
          ...browser,
        }),
      );
      const content = { subject: identity, audiences: [url], boundary: undefined, session };
      const addresses = { baseUrl: url, authUrl: url };
      return new Http(url, issueToken(world.signer.keys, addresses, content, now).token);
    };
    const [former, current] = [await sessionOf("first"), await sessionOf("second")];
    await direct.close();
    assert.equal(await mayRead(former, organization), false);
    assert.equal(await mayRead(current, organization), true);
  });

  /** Switches provisioning on; two owners of another issuer keep the organization reachable. */
  const provision = async (organization: string, uid: string): Promise<ScimClient> => {
    for (let count = 0; count < 2; count++) await world.member({ [organization]: "owner" });
    const path = `${PROVIDERS}/${uid}`;
    const { token, etag } = (await operator.post(`${path}:generateScimToken`)).body;
    const on = await operator.post(`${path}:setScimEnabled`, { enabled: true, etag });
    assert.equal(on.status, 200, JSON.stringify(on.body));
    return new ScimClient(`${world.server.url}/scim/v2/${uid}`, token);
  };

  test("a user deactivated through SCIM cannot get a token by any flow", async () => {
    const organization = await world.organization();
    const provisioned = await provider(organization, "provisioned");
    const beside = await provider(organization, "beside");
    const sub = world.name("bob");
    const uid = await register(sub, organization, "owner");
    const scim = await provision(organization, provisioned);
    const { id } = (await scim.post("/Users", { userName: sub, externalId: sub })).body;
    const mapping = { externalGroupId: "admins", roleUid: roleNamed("viewer") };
    await operator.post(`/iam/v2beta1/externalGroupRoleMappings/${beside}`, mapping);
    const ways = {
      "the provider": () => through(provisioned, sub, "provisioned"),
      "another provider of the organization": () => through(beside, sub, "beside"),
      "a group at another provider": () => through(beside, sub, "beside", { groups: ["admins"] }),
      "a token made for us": () => direct(sub),
    };
    const tokens: Exchanged[] = [];
    for (const way of Object.values(ways)) tokens.push(await way());
    const trusting = await operator.post(`/iam/v2beta1/identities/${organization}`, {
      name: "deployer",
      claimMatch: { issuer: world.server.url, subject: uid, audience: world.server.url },
    });
    const identity = trusting.body.uid;
    await world.bind(organization, identity, "viewer");
    const held = await through(beside, sub, "beside");
    const aud = world.server.url;
    tokens.push(await exchange(aud, held.token, { aud, identity }));
    for (const token of tokens) assert.equal(await mayRead(as(token), organization), true);
    await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    for (const token of tokens)
      assert.equal((await as(token).get(`${GROUPS}/${organization}`)).status, 401);
    for (const [name, way] of Object.entries(ways)) {
      const { code, token } = await way();
      assert.equal(token, "", name);
      assert.equal(code, 7, name);
    }
    const back = new Http(world.server.url, await issuer.sign({ sub, aud: hostname() }));
    const code = await invite(organization, "viewer");
    assert.equal((await back.post("/auth/v1/register", { code })).status, 403);
    // Grants of another organization are not for this one to revoke.
    const elsewhere = await world.organization();
    await world.bind(elsewhere, uid, "viewer");
    const rest = as(await direct(sub));
    assert.equal(await mayRead(rest, elsewhere), true);
    assert.equal(await mayRead(rest, organization), false);
    await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: true });
    assert.equal(await mayRead(as(await direct(sub)), organization), true);
    await scim.delete(`/Users/${id}`);
    assert.equal(await mayRead(as(await direct(sub)), organization), false);
  });

  test("with two provisioned providers in a group, being active at one is enough", async () => {
    const organization = await world.organization();
    const providers = [
      await provider(organization, "provisioned"),
      await provider(organization, "beside"),
    ];
    const subs = [world.name("ann"), world.name("bob"), world.name("eve")];
    for (const sub of subs) await register(sub, organization, "viewer");
    for (const [at, uid] of providers.entries()) {
      const scim = await provision(organization, uid);
      const body = { userName: subs[at], externalId: subs[at] };
      assert.equal((await scim.post("/Users", body)).status, 201);
    }
    const counts: boolean[] = [];
    for (const sub of subs) {
      const { token } = await direct(sub);
      counts.push(token !== "" && (await mayRead(new Http(world.server.url, token), organization)));
    }
    assert.deepEqual(counts, [true, true, false]);
  });

  test("provisioning at another organization's provider changes nothing elsewhere", async () => {
    const sub = world.name("alice");
    const uid = await register(sub, acme, "viewer");
    const organization = await world.organization();
    const rival = await provider(organization, "rival-client");
    await world.bind(organization, uid, "viewer");
    const scim = await provision(organization, rival);
    const body = { userName: sub, externalId: sub, active: false };
    assert.equal((await scim.post("/Users", body)).status, 201);
    assert.equal(await mayRead(as(await direct(sub)), acme), true);
    assert.equal(await mayRead(as(await through(acmeProvider, sub, "acme-client")), acme), true);
  });

  test("mappings match stable ids, and display names only if the mapping says so", async () => {
    const organization = await world.organization();
    const uid = await provider(organization, "mapped");
    const [eve, ann] = [world.name("eve"), world.name("ann")];
    for (const sub of [eve, ann]) await register(sub, organization, "viewer");
    const map = (externalGroupId: string, role: string) =>
      operator.post(`/iam/v2beta1/externalGroupRoleMappings/${uid}`, {
        externalGroupId,
        roleUid: roleNamed(role),
      });
    await map("id-of-admins", "owner");
    await map("name:Operations", "owner");
    const scim = await provision(organization, uid);
    const user = async (sub: string) =>
      (await scim.post("/Users", { userName: sub, externalId: sub })).body.id;
    const [eveId, annId] = [await user(eve), await user(ann)];
    const group = (displayName: string, externalId: string, member: string) =>
      scim.post("/Groups", { displayName, externalId, members: [{ value: member }] });
    await group("id-of-admins", "book-club", eveId);
    await group("Knitting", "name:Operations", eveId);
    const mayChange = async (sub: string, claims: object = {}) => {
      const api = as(await through(uid, sub, "mapped", claims));
      return (await api.patch(`${GROUPS}/${organization}`, { description: sub })).status === 200;
    };
    assert.equal(await mayChange(eve), false);
    assert.equal(await mayChange(eve, { groups: ["name:Operations"] }), false);
    await group("Operations", "42", annId);
    assert.equal(await mayChange(ann), true);
    assert.equal(await mayChange(eve, { groups: ["id-of-admins"] }), true);
  });
});
