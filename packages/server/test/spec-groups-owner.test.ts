import assert from "node:assert/strict";
import { test } from "node:test";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { storeGroups } from "./support/world/stored-groups.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

onEachStore("organizations and their owners", (world) => {
  world.rule("the creator of an organization owns it immediately", async (api) => {
    const maker = await world.member();
    const mine = api.as(maker.token);
    const { uid } = await mine.groups.create("", { name: "mine" });
    assert.equal((await mine.groups.get(uid)).name, "mine");
    assert.deepEqual((await mine.groups.list()).groups.map(nameOf), ["mine"]);
    const { roleBindings } = await mine.roleBindings.list({ uidp: { childrenOf: uid } });
    assert.equal(roleBindings.length, 1);
    assert.equal(roleBindings[0].identityUid, maker.uid);
    assert.equal(roleBindings[0].roleUid, roleNamed("owner"));
    const folder = await mine.groups.create(uid, { name: "folder" });
    assert.equal((await mine.groups.update(folder.uid, { name: "renamed" })).name, "renamed");
  });

  world.rule("owners write advisories and registry settings, and let others", async (api) => {
    const mine = api.as((await world.member()).token);
    const { uid } = await mine.groups.create("", { name: "mine" });
    const made = await mine.v1.advisories.create(uid, {
      artifactName: "openssl",
      artifactType: "apk",
      aliases: ["CVE-2026-0001"],
    });
    assert.ok(made.id);
    const settings = { registryId: uid, uniqueTags: true };
    const put = await mine.v1.registry.updateRegistrySettings(settings);
    assert.equal(put.uniqueTags, true);
    const reviewer = await world.member();
    for (const role of ["advisories.approver", "advisories.admin"]) {
      const binding = { identityUid: reviewer.uid, roleUid: roleNamed(role) };
      assert.ok((await mine.roleBindings.create(uid, binding)).uid);
    }
  });

  world.rule("nobody else can see a new organization", async (api) => {
    const [maker, stranger] = [await world.member(), await world.member()];
    const { uid } = await api.as(maker.token).groups.create("", { name: "private" });
    const theirs = api.as(stranger.token);
    assert.equal((await rejected(theirs.groups.get(uid))).code, 7);
    assert.deepEqual((await theirs.groups.list()).groups, []);
    assert.equal((await theirs.groups.list()).totalCount, "0");
  });

  world.rule("creating a nested group adds no owner binding", async (api) => {
    const maker = await world.member();
    const mine = api.as(maker.token);
    const { uid } = await mine.groups.create("", { name: "mine" });
    const folder = await mine.groups.create(uid, { name: "folder" });
    const { totalCount } = await mine.roleBindings.list({ uidp: { childrenOf: folder.uid } });
    assert.equal(totalCount, "0");
  });

  world.rule("the creator can delete the organization while it is empty", async (api) => {
    const maker = await world.member();
    const mine = api.as(maker.token);
    const { uid } = await mine.groups.create("", { name: "mine" });
    const folder = await mine.groups.create(uid, { name: "folder" });
    assert.deepEqual((await rejected(mine.groups.delete(uid))).violations, ["RESOURCE_NOT_EMPTY"]);
    await mine.groups.delete(folder.uid);
    await mine.groups.delete(uid);
    const gone = [5, `Group ${uid}`];
    const errors = await allRejected([
      mine.groups.get(uid),
      mine.groups.delete(uid),
      mine.groups.update(uid, { name: "x" }),
      mine.repos.create(uid, { name: "x" }),
      mine.groups.create(uid, { name: "x" }),
      mine.roles.get(`${uid}/0123456789abcdef`),
      mine.identities.get(`${uid}/0123456789abcdef`),
      api.groups.get(uid),
    ]);
    for (const { code, missing } of errors) assert.deepEqual([code, missing], gone);
    const stranger = api.as((await world.member()).token);
    for (const other of [uid, folder.uid, `${"0".repeat(39)}1`]) {
      assert.equal((await rejected(stranger.groups.get(other))).code, 7, "others learn nothing");
    }
    const bindings = await api.roleBindings.list({ identity: maker.uid });
    assert.equal(bindings.totalCount, "0", "the maker's binding went with it");
  });

  world.rule("an organization with another member's binding is not empty", async (api) => {
    const [maker, colleague] = [await world.member(), await world.member()];
    const mine = api.as(maker.token);
    const { uid } = await mine.groups.create("", { name: "mine" });
    const roleUid = roleNamed("viewer");
    await mine.roleBindings.create(uid, { identityUid: colleague.uid, roleUid });
    const refusal = await rejected(mine.groups.delete(uid));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_NOT_EMPTY"]]);
    const own = await api.roleBindings.list({ identity: maker.uid });
    assert.equal(own.totalCount, "1", "the refused delete took nothing away");
  });

  world.rule("only the operator can verify an organization", async (api) => {
    const maker = await world.member();
    const mine = api.as(maker.token);
    const { uid } = await mine.groups.create("", { name: world.name("verified") });
    assert.equal((await rejected(mine.groups.update(uid, { verified: true }))).code, 7);
    assert.equal((await mine.groups.get(uid)).verified, false);
    assert.equal((await api.groups.update(uid, { verified: true })).verified, true);
    assert.equal((await rejected(mine.groups.update(uid, {}, ["verified"]))).code, 7);
    const renamed = await mine.groups.update(uid, { description: "ours" });
    assert.equal(renamed.verified, true, "other fields stay the owner's to change");
  });

  world.rule("a verified name is unique", async (api) => {
    const name = world.name("taken.example");
    const [first, second] = [await world.organization(name), await world.organization(name)];
    await api.groups.update(first, { verified: true });
    const refusal = await rejected(api.groups.update(second, { verified: true }));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["NAME_TAKEN"]]);
    await api.groups.update(first, {}, ["verified"]);
    assert.equal((await api.groups.update(second, { verified: true })).verified, true);
  });

  world.rule("only the operator can rename a verified organization", async (api) => {
    const [name, next] = [world.name("sure.example"), world.name("sure.example")];
    const org = await world.organization(name);
    const owner = await world.member({ [org]: "owner" });
    await api.groups.update(org, { verified: true });
    const refusal = await rejected(
      api.as(owner.token).groups.update(org, { name: "bank.example" }),
    );
    assert.equal(refusal.code, 7);
    assert.equal((await api.groups.get(org)).name, name);
    assert.equal((await api.groups.update(org, { name: next })).name, next);
  });

  world.rule("a verified organization cannot take the name of another", async (api) => {
    const name = world.name("taken.example");
    const [first, second] = [await world.organization(name), await world.organization()];
    await api.groups.update(first, { verified: true });
    await api.groups.update(second, { verified: true });
    const refusal = await rejected(api.groups.update(second, { name }));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["NAME_TAKEN"]]);
  });

  test("a verified name resolves despite unverified namesakes", async () => {
    const name = "crowded.example";
    const { groups } = world.operator();
    const made = await storeGroups(world.server, "", new Array(1_003).fill(name));
    const [first, ...others] = made.sort() as [string, ...string[]];
    await groups.update(others.at(-1) as string, { verified: true });
    assert.deepEqual((await rejected(groups.update(first, { verified: true }))).violations, [
      "NAME_TAKEN",
    ]);
  });

  world.rule("a nested group cannot be verified", async (api) => {
    const folder = await world.group(await world.organization());
    const { fields } = await rejected(api.groups.update(folder, { verified: true }));
    assert.deepEqual(Object.keys(fields), ["verified"]);
  });

  world.rule("only the operator can set the kind, of verified organizations only", async (api) => {
    const org = await world.organization(world.name("kind.example"));
    const kind = "ORG_KIND_CUSTOMER";
    const early = await rejected(api.groups.update(org, { kind }));
    assert.deepEqual(Object.keys(early.fields), ["kind"]);
    assert.equal((await rejected(api.groups.create("", { name: "x", kind }))).code, 3);
    const updated = await api.groups.update(org, { verified: true, kind });
    assert.equal(updated.kind, kind);
    const owner = await world.member({ [org]: "owner" });
    const theirs = api.as(owner.token).groups;
    assert.equal((await rejected(theirs.update(org, { kind: "ORG_KIND_DEV" }))).code, 7);
  });
});

onEachStore(
  "an installation whose operator alone makes organizations",
  (world) => {
    world.rule("denies creating an organization to everyone else", async (api) => {
      const member = await world.member();
      const refusal = await rejected(api.as(member.token).groups.create("", { name: "mine" }));
      assert.equal(refusal.code, 7);
      assert.match((await api.groups.create("", { name: "ours" })).uid, /^[0-9a-f]{40}$/);
    });

    world.rule("allows owners to create nested groups", async (api) => {
      const org = await world.organization();
      const owner = await world.member({ [org]: "owner" });
      const folder = await api.as(owner.token).groups.create(org, { name: "folder" });
      assert.ok(folder.uid.startsWith(`${org}/`));
    });
  },
  { flags: ["--root-groups", "operator"] },
);

function nameOf({ name }: { name: string }): string {
  return name;
}
