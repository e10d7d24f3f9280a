import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { create, type DescMessage, type DescMethod, toBinary } from "@bufbuild/protobuf";
import { accessOf, httpRulesOf, isScope, SERVICES } from "@wharf/contract";
import { groupsV1, SERVICES_V1 } from "@wharf/contract/v1";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { sendBytes } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { type Member, onEachStore, roleNamed } from "./support/world/world.ts";

/** The capabilities that methods which grant something require, and none that is worth granting. */
const GIVING = [
  "groups.list",
  "groups.create",
  "identity.create",
  "identity.update",
  "identity.list",
  "roles.create",
  "roles.update",
  "roles.list",
  "role_bindings.create",
  "role_bindings.update",
  "role_bindings.list",
  "group_invites.create",
  "group_invites.list",
  "identity_providers.create",
  "identity_providers.update",
  "identity_providers.list",
  "identity_providers.scim.manage",
];

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
const CLAIMS = { issuer: "https://issuer.example.com", subject: "s" };

onEachStore("a down-scoped token cannot grant its identity more than its boundary", (world) => {
  let org: string;
  let folder: string;
  let member: Member;
  const owner = roleNamed("owner");
  before(async () => {
    org = await world.organization();
    folder = await world.group(org);
    member = await world.member({ [org]: "owner" });
  });

  const narrowed = async (boundary: Record<string, string | readonly string[]>) => {
    const aud = world.server.url;
    const { token, message } = await exchange(aud, member.token, { aud, ...boundary });
    assert.notEqual(token, "", message);
    return token;
  };
  const bindings = async () => {
    const { roleBindings } = await world.operator().roleBindings.list({ identity: member.uid });
    return roleBindings.map(({ uid }: { uid: string }) => uid);
  };

  world.rule("it cannot create an organization, in either version", async (api) => {
    const held = await bindings();
    for (const boundary of [{ cap: "repo.list" }, { cap: "groups.create" }, { scopes: org }]) {
      const token = await narrowed(boundary);
      const theirs = api.as(token);
      const refusals = await allRejected([
        theirs.groups.create("", { name: world.name() }),
        theirs.call(groupsV1.Groups, "Create", { group: { name: world.name() } }),
        theirs.call(groupsV1.Groups, "Create", {
          group: { name: world.name() },
          parent: "/",
        }),
      ]);
      for (const { code } of refusals) assert.equal(code, 7);
    }
    assert.deepEqual(await bindings(), held, "its identity is bound nowhere else");
    const whole = api.as((await world.member()).token);
    assert.ok((await whole.groups.create("", { name: world.name() })).uid, "a whole token does");
  });

  world.rule("it cannot create role bindings in a folder within the boundary", async (api) => {
    const held = await bindings();
    const theirs = api.as(await narrowed({ cap: ["groups.create", "groups.list"] }));
    const { uid } = await theirs.groups.create(folder, { name: world.name() });
    assert.ok(uid.startsWith(`${folder}/`));
    assert.deepEqual(await bindings(), held);
  });

  world.rule("no granting method grants beyond the boundary", async (api) => {
    const theirs = api.as(await narrowed({ cap: GIVING }));
    const little = await world.role(org, ["groups.list"]);
    const itself = { identityUid: member.uid, roleUid: owner };
    const low = await api.roleBindings.create(org, { identityUid: member.uid, roleUid: little });
    const strong = await api.identities.create(org, { name: "strong", claimMatch: CLAIMS });
    await world.bind(org, strong.uid, "viewer");
    const provider = { name: "idp", defaultRole: owner, oidc: OIDC };
    const known = await api.identityProviders.create(org, provider);
    const weak = { ...provider, defaultRole: little };
    const weakProvider = (await theirs.identityProviders.create(org, weak)).uid;
    const invite = await api.groupInvites.create(org, { roleUid: little, ttl: "600s" });
    const before = await bindings();
    const refusals = await allRejected([
      theirs.roleBindings.create(org, itself),
      theirs.roleBindings.create(folder, itself),
      theirs.roleBindings.batchCreateRoleBindings({
        parent: org,
        requests: [{ roleBinding: itself }],
      }),
      theirs.roleBindings.update(low.uid, { roleUid: owner }),
      theirs.roles.create(org, { name: "more", capabilities: ["CAP_IAM_GROUPS_DELETE"] }),
      theirs.roles.update(little, { capabilities: ["CAP_IAM_GROUPS_DELETE"] }),
      theirs.groupInvites.create(org, { roleUid: owner, ttl: "600s" }),
      theirs.groupInvites.update(invite.uid, { roleUid: owner }),
      theirs.identityProviders.create(org, provider),
      theirs.identityProviders.update(weakProvider, { defaultRole: owner }),
      theirs.identityProviders.update(known.uid, { oidc: { clientId: "mine" } }),
      theirs.externalGroupRoleMappings.create(weakProvider, {
        externalGroupId: "admins",
        roleUid: owner,
      }),
      theirs.identityProviders.generateScimToken({ identityProviderUid: known.uid }),
      theirs.identities.update(strong.uid, { claimMatch: { subject: "mine" } }),
      theirs.identities.update(member.uid, { claimMatch: { subject: "mine" } }),
      theirs.accountAssociations.create(folder, { name: "accounts" }),
    ]);
    for (const { code, message } of refusals) assert.equal(code, 7, message);
    assert.deepEqual(await bindings(), before);
    await api.roleBindings.delete(low.uid);
  });

  test("it cannot accept an invite, assume another identity, or be widened", async () => {
    const { url } = world.server;
    const token = await narrowed({ cap: "repo.list" });
    const given = { roleUid: owner, ttl: "600s" };
    const { code } = await world.operator().groupInvites.create(org, given);
    const held = await bindings();
    assert.equal((await new Http(url, token).post("/auth/v1/register", { code })).status, 403);
    const claimMatch = { issuer: url, subject: member.uid, audience: url };
    const other = await world.operator().identities.create(org, { name: "other", claimMatch });
    const became = await exchange(url, token, { aud: url, identity: other.uid });
    assert.equal(became.token, "");
    const again = await exchange(url, token, { aud: url, cap: "groups.list" });
    const list = await new Http(url, again.token).get(`/iam/v2beta1/groups/${org}`);
    assert.equal(list.status, 403);
    assert.deepEqual(await bindings(), held);
  });

  test("the same holds for a down-scoped operator token", async () => {
    const { url } = world.server;
    const token = await world.signer.token(OPERATOR_UID, { boundary: { [org]: ["repo.list"] } });
    const made = await new Http(url, token).post("/iam/v2beta1/groups", { name: world.name() });
    assert.equal(made.status, 403);
    const methods = SERVICES.flatMap((service) => service.methods).filter(
      (method) => accessOf(method)?.kind === "operator",
    );
    assert.ok(methods.length > 2);
    for (const method of methods) {
      const path = `/${method.parent.typeName}/${method.name}`;
      const done = sendBytes(url, token, path, Buffer.alloc(0));
      await assert.rejects(done, { code: 7 }, path);
    }
  });

  describe("methods that write", () => {
    const writing = [...SERVICES, ...SERVICES_V1]
      .flatMap(({ methods }) => methods)
      .filter((method) => httpRulesOf(method)[0]?.verb !== "GET");
    const kindOf = (method: DescMethod) => accessOf(method)?.kind;

    test("every write method without a capability check at a scope is listed, and tested here or elsewhere", () => {
      const others = writing.filter((method) => kindOf(method) !== "scoped");
      assert.deepEqual(
        others.map(({ parent, name }) => `${parent.typeName}/${name}`).sort(),
        [
          // Only read.
          "wharf.argos.v1.ArgosOSV/Query",
          "wharf.argos.v1.ArgosOSV/QueryBatch",
          "wharf.auth.Auth/Delete",
          "wharf.auth.Auth/Register",
          "wharf.auth.SessionsService/EndSession",
          "wharf.auth.SessionsService/Logout",
          "wharf.iam.v1.GroupInvites/CreateWithGroup",
          "wharf.iam.v1.Groups/Create",
          // Only reads.
          "wharf.iam.v2beta1.AccessService/BatchCheckAccess",
          "wharf.iam.v2beta1.GroupsService/CreateGroup",
          // Changes nothing.
          "wharf.iam.v2beta1.IdentitiesService/UpdateIdentityMetadata",
          "wharf.installation.v2beta1.InstallationService/RotateSigningKeys",
          "wharf.oidc.SecurityTokenService/ExchangeRefreshToken",
          "wharf.registry.v2beta1.PackagesService/CreatePackage",
          "wharf.registry.v2beta1.PackagesService/DeletePackage",
          "wharf.registry.v2beta1.PackagesService/UpdatePackage",
          "wharf.registry.v2beta1.RegistriesService/ReconcileRegistries",
          "wharf.registry.v2beta1.RegistryStorageService/CollectGarbage",
        ],
        "a new one must keep to the boundary of a token",
      );
    });

    test("all others are denied outside of the boundary", async () => {
      const token = await narrowed({ cap: "repo.list" });
      const scoped = writing.filter((method) => kindOf(method) === "scoped");
      assert.ok(scoped.length > 40);
      for (const method of scoped) {
        const path = `/${method.parent.typeName}/${method.name}`;
        const bytes = toBinary(method.input, scopedTo(method.input, org));
        const done = sendBytes(world.server.url, token, path, Buffer.from(bytes));
        const { code } = await done.then(
          () => assert.fail(`${path} is allowed`),
          (error: { code: number }) => error,
        );
        assert.equal(code, 7, path);
      }
    });
  });
});

/** A request with nothing but the uid that access is checked at. */
function scopedTo(input: DescMessage, uid: string) {
  return create(input, scopeOf(input, uid));
}

function scopeOf(input: DescMessage, uid: string): Record<string, unknown> {
  const field = input.fields.find(isScope);
  assert.ok(field, `${input} has no scope`);
  const value = field.fieldKind === "message" ? scopeOf(field.message, uid) : uid;
  return { [field.localName]: value };
}

onEachStore("errors name no capability of a role that the caller cannot read", (world) => {
  let org: string;
  let folder: string;
  let hidden: string;
  before(async () => {
    org = await world.organization();
    folder = await world.group(org);
    hidden = await world.role(org, ["repo.delete", "advisories.approve"]);
  });

  const GIVES = [
    "role_bindings.create",
    "role_bindings.update",
    "group_invites.create",
    "identity_providers.create",
    "identity_providers.update",
    "identity_providers.list",
    "identity.update",
  ];
  const RULE = /^every capability of the role at [0-9a-f/]+$/;

  /** Calls that grant the hidden role at the folder, or promise to. */
  async function attempts(api: ApiClient, theirs: ApiClient) {
    const { uid: identityUid } = await world.member();
    const low = await world.bind(folder, identityUid, ["role_bindings.create"]);
    const provider = { name: "idp", defaultRole: hidden, oidc: OIDC };
    const known = await api.identityProviders.create(folder, provider);
    const binding = { identityUid, roleUid: hidden };
    return allRejected([
      theirs.roleBindings.create(folder, binding),
      theirs.roleBindings.batchCreateRoleBindings({
        parent: folder,
        requests: [{ roleBinding: binding }],
      }),
      theirs.roleBindings.update(low, { roleUid: hidden }),
      theirs.groupInvites.create(folder, { roleUid: hidden, ttl: "600s" }),
      theirs.identityProviders.create(folder, provider),
      theirs.identityProviders.update(known.uid, { oidc: { clientId: "mine" } }),
    ]);
  }

  world.rule("the error names the rule without the capabilities", async (api) => {
    const theirs = api.as((await world.member({ [folder]: GIVES })).token);
    assert.equal((await rejected(theirs.roles.get(hidden))).code, 7);
    for (const { code, needs } of await attempts(api, theirs)) {
      assert.equal(code, 7);
      assert.match(needs, RULE);
    }
  });

  world.rule("callers that can read the role get the missing capabilities", async (api) => {
    const reader = await world.member({ [folder]: GIVES, [org]: ["roles.list"] });
    for (const { code, needs } of await attempts(api, api.as(reader.token))) {
      assert.equal(code, 7);
      assert.match(needs, /^repo\.delete, advisories\.approve at /);
    }
  });

  world.rule("everyone can read built-in roles", async (api) => {
    const theirs = api.as((await world.member({ [folder]: GIVES })).token);
    const { uid: identityUid } = await world.member();
    const given = { identityUid, roleUid: roleNamed("viewer") };
    const { needs } = await rejected(theirs.roleBindings.create(folder, given));
    assert.match(needs, /repo\.list|groups\.list/);
  });

  world.rule(
    "changing the claims of an identity reveals no binding that the caller cannot see",
    async (api) => {
      const home = await world.group(folder);
      const { uid } = await api.identities.create(home, { name: "strong", claimMatch: CLAIMS });
      const elsewhere = await world.organization();
      const mine = await world.bind(home, uid, "viewer");
      const theirs = api.as(
        (await world.member({ [home]: ["identity.update", "role_bindings.list"] })).token,
      );
      const change = () =>
        rejected(theirs.identities.update(uid, { claimMatch: { subject: "x" } }));
      assert.match((await change()).needs, new RegExp(`at ${home}$`));
      await api.roleBindings.delete(mine);
      await world.bind(elsewhere, uid, ["repo.delete"]);
      const { code, needs } = await change();
      assert.deepEqual([code, needs], [7, "every capability that the identity holds"]);
    },
  );
});
