import assert from "node:assert/strict";
import { before } from "node:test";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const CLAIMS = { issuer: "https://issuer.example.com", subject: "s" };

/** The capabilities that granting requires, and few that are worth granting. */
const GRANTER = [
  "groups.list",
  "role_bindings.create",
  "role_bindings.update",
  "roles.create",
  "roles.update",
  "identity.create",
  "identity.update",
];

onEachStore("nobody can grant more than they hold", (world) => {
  let org: string;
  let folder: string;
  const [viewer, owner] = [roleNamed("viewer"), roleNamed("owner")];
  before(async () => {
    org = await world.organization();
    folder = await world.group(org);
  });

  world.rule("creating a binding requires every capability of its role", async (api) => {
    const granter = await world.member({ [org]: [...GRANTER, "tag.list"] });
    const theirs = api.as(granter.token);
    const { uid: identityUid } = await world.member();
    const refusal = await rejected(
      theirs.roleBindings.create(org, { identityUid, roleUid: viewer }),
    );
    assert.equal(refusal.code, 7);
    const named = refusal.message.split(/[ ,]+/);
    assert.ok(named.includes("group_invites.list"));
    assert.ok(!named.includes("groups.list"), "only what is missing is named");
    const tags = await world.role(org, ["tag.list", "groups.list"]);
    const made = await theirs.roleBindings.create(folder, { identityUid, roleUid: tags });
    assert.equal(made.role.uid, tags);
  });

  world.rule("nobody can make themselves an owner", async (api) => {
    for (const held of [GRANTER, "limited_owner", "registry.pull_token_creator"] as const) {
      const granter = await world.member({ [org]: held });
      const request = { identityUid: granter.uid, roleUid: owner };
      const theirs = api.as(granter.token);
      assert.equal((await rejected(theirs.roleBindings.create(org, request))).code, 7);
      const batch = { parent: org, requests: [{ roleBinding: request }] };
      assert.equal((await rejected(theirs.roleBindings.batchCreateRoleBindings(batch))).code, 7);
    }
  });

  world.rule("an owner of a folder can grant there, not above", async (api) => {
    const theirs = api.as((await world.member({ [folder]: "owner" })).token);
    const { uid: identityUid } = await world.member();
    const request = { identityUid, roleUid: owner };
    assert.ok(await theirs.roleBindings.create(folder, request));
    assert.equal((await rejected(theirs.roleBindings.create(org, request))).code, 7);
  });

  world.rule("capabilities held at another group do not count", async (api) => {
    const elsewhere = await world.organization();
    const theirs = api.as((await world.member({ [org]: GRANTER, [elsewhere]: "owner" })).token);
    const { uid: identityUid } = await world.member();
    const request = { identityUid, roleUid: viewer };
    assert.equal((await rejected(theirs.roleBindings.create(org, request))).code, 7);
    assert.ok(await theirs.roleBindings.create(elsewhere, request));
  });

  world.rule("changing a binding cannot escalate it", async (api) => {
    const granter = await world.member({ [org]: GRANTER });
    const theirs = api.as(granter.token);
    const low = await world.role(org, ["groups.list"]);
    const { uid } = await api.roleBindings.create(org, { identityUid: granter.uid, roleUid: low });
    const raise = theirs.roleBindings.update(uid, { roleUid: owner });
    assert.equal((await rejected(raise)).code, 7);
    const high = await world.bind(org, (await world.member()).uid, "owner");
    const take = theirs.roleBindings.update(high, { identityUid: granter.uid });
    assert.equal((await rejected(take)).code, 7);
    assert.equal((await rejected(theirs.groups.delete(folder))).code, 7);
  });

  world.rule("creating a role requires holding its capabilities", async (api) => {
    const theirs = api.as((await world.member({ [org]: [...GRANTER, "tag.list"] })).token);
    const role = { name: "x", capabilities: ["CAP_TAG_LIST", "CAP_IAM_GROUPS_DELETE"] };
    const refusal = await rejected(theirs.roles.create(org, role));
    assert.equal(refusal.needs, `groups.delete at ${org}`);
    const made = await theirs.roles.create(org, { ...role, capabilities: ["CAP_TAG_LIST"] });
    assert.deepEqual(made.capabilities, ["CAP_TAG_LIST"]);
  });

  world.rule("adding capabilities to a role requires holding them", async (api) => {
    const granter = await world.member({ [org]: GRANTER });
    const theirs = api.as(granter.token);
    const role = await world.role(org, ["groups.list", "tag.create"]);
    const add = (...capabilities: string[]) => theirs.roles.update(role, { capabilities });
    const refusal = await rejected(
      add("CAP_IAM_GROUPS_LIST", "CAP_TAG_CREATE", "CAP_IAM_GROUPS_DELETE"),
    );
    assert.equal(refusal.needs, `groups.delete at ${org}`);
    const swap = await rejected(add("CAP_IAM_GROUPS_DELETE"));
    assert.equal(swap.code, 7);
    // Anyone who can update a role may keep or remove its capabilities.
    assert.equal((await theirs.roles.update(role, { name: "y" })).name, "y");
    const fewer = await add("CAP_TAG_CREATE", "CAP_IAM_GROUPS_LIST", "CAP_IAM_IDENTITY_CREATE");
    assert.equal(fewer.capabilities.length, 3);
    assert.deepEqual((await add("CAP_TAG_CREATE")).capabilities, ["CAP_TAG_CREATE"]);
    assert.equal((await rejected(add("CAP_TAG_CREATE", "CAP_TAG_LIST"))).code, 7);
  });

  world.rule(
    "changing the claims of an identity requires holding what the identity holds",
    async (api) => {
      const granter = await world.member({ [org]: [...GRANTER, "role_bindings.list"] });
      const theirs = api.as(granter.token);
      const elsewhere = await world.organization();
      for (const place of [org, folder, elsewhere]) {
        const { uid } = await api.identities.create(org, { name: "strong", claimMatch: CLAIMS });
        const binding = await world.bind(place, uid, "owner");
        const mine = { claimMatch: { ...CLAIMS, subject: "mine" } };
        const refusals = await allRejected([
          theirs.identities.update(uid, mine),
          theirs.identities.update(uid, mine, ["claim_match.subject"]),
          theirs.identities.update(uid, { claimMatch: { subjectPattern: ".*" } }),
          theirs.identities.update(uid, { name: "x", ...mine }, ["*"]),
          theirs.identities.update(uid, { servicePrincipal: "SERVICE_PRINCIPAL_SKILLS" }),
        ]);
        for (const { code, needs } of refusals) {
          assert.equal(code, 7);
          // Bindings that the caller may not read are not named.
          const seen =
            place === elsewhere ? "every capability that the identity holds" : `at ${place}`;
          assert.ok(needs.endsWith(seen), needs);
        }
        assert.equal((await api.identities.get(uid)).claimMatch.subject, CLAIMS.subject);
        assert.equal((await theirs.identities.update(uid, { name: "renamed" })).name, "renamed");
        await api.roleBindings.delete(binding);
        assert.equal((await theirs.identities.update(uid, mine)).claimMatch.subject, "mine");
      }
    },
  );

  world.rule("a caller that holds what an identity holds can change its claims", async (api) => {
    const theirs = api.as((await world.member({ [org]: "owner" })).token);
    const { uid } = await theirs.identities.create(org, { name: "x", claimMatch: CLAIMS });
    await theirs.roleBindings.create(folder, { identityUid: uid, roleUid: owner });
    const changed = await theirs.identities.update(uid, { claimMatch: { subject: "new" } });
    assert.equal(changed.claimMatch.subject, "new");
  });

  world.rule("nobody can bind or assume the operator", async (api) => {
    const { sub } = JSON.parse(
      Buffer.from(api.token.split(".")[1] as string, "base64url").toString("utf8"),
    );
    const lookedUp = await api.identities.lookupIdentity({ issuer: "wharf", subject: "operator" });
    assert.equal(lookedUp.uid, sub, "its uid is no secret");
    const bind = api.roleBindings.create(org, { identityUid: sub, roleUid: viewer });
    assert.equal((await rejected(bind)).code, 5);
    assert.equal((await rejected(api.identities.get(sub))).code, 5);
    const theirs = api.as((await world.member({ [org]: "owner" })).token);
    const claimMatch = { issuer: "https://wharf.example", subject: "operator" };
    assert.notEqual(
      (await theirs.identities.create(org, { name: "operator", claimMatch })).uid,
      sub,
    );
  });
});
