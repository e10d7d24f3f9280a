import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { type Member, onEachStore, roleNamed } from "./support/world/world.ts";

/** An entry as tests look at it. */
interface Entry {
  readonly uid: string;
  readonly method: string;
  readonly actor: { readonly uid: string; readonly name: string };
  readonly resource: { readonly uid: string; readonly name: string; readonly type: string };
  readonly code: number;
  readonly changedFields: readonly string[];
  readonly via: string;
  readonly session: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly integrity?: { readonly chain: string; readonly sequence: string };
}

const namesOf = (entries: readonly Entry[]) =>
  entries.map(({ method }) => method.slice(method.lastIndexOf("/") + 1));

onEachStore("the audit log", (world) => {
  let org: string;
  let folder: string;
  let owner: Member;
  before(async () => {
    org = await world.organization("acme");
    folder = await world.group(org, "folder");
    owner = await world.member({ [org]: "owner" });
  });

  const list = (api: ApiClient, filter: object, more: object = {}) =>
    api.audit.listAuditEntries({ filter, ...more });

  world.rule("says who changed what, under the names of the time", async (api) => {
    const theirs = api.as(owner.token);
    const { uid } = await theirs.groups.create(folder, { name: "before" });
    await theirs.groups.update(uid, { name: "after", description: "new" });
    await theirs.groups.delete(uid);
    const { entries, totalCount } = await list(theirs, { resource: uid });
    assert.deepEqual(namesOf(entries), ["DeleteGroup", "UpdateGroup", "CreateGroup"]);
    assert.equal(Number(totalCount), 3);
    const [deleted, updated, created] = entries as [Entry, Entry, Entry];
    assert.equal(created.resource.name, "before");
    assert.equal(updated.resource.name, "after");
    assert.deepEqual(updated.changedFields, ["name", "description"]);
    assert.deepEqual(updated.detail.changes, {
      name: { before: "before", after: "after" },
      description: { before: "", after: "new" },
    });
    assert.deepEqual(deleted.resource, { uid, name: "after", type: "Group" });
    assert.equal((deleted.detail.deleted as { name: string }).name, "after");
    for (const entry of entries as Entry[]) {
      assert.equal(entry.actor.uid, owner.uid);
      assert.match(entry.actor.name, /^member-/);
      assert.equal(entry.via, api.protocol === "REST" ? "rest" : "grpc");
      assert.equal(entry.code, 0);
      assert.ok(entry.integrity?.chain);
    }
  });

  world.rule("says who deleted a binding, and what it granted to whom", async (api) => {
    const member = await world.member();
    const uid = await world.bind(folder, member.uid, "viewer");
    await api.as(owner.token).roleBindings.delete(uid);
    const { entries } = await list(api, { resource: uid, method: "DeleteRoleBinding" });
    const [deleted] = entries as [Entry];
    assert.equal(deleted.actor.uid, owner.uid);
    assert.equal(deleted.resource.type, "RoleBinding");
    const { identityUid, roleUid } = deleted.detail.deleted as Record<string, string>;
    assert.deepEqual([identityUid, roleUid], [member.uid, roleNamed("viewer")]);
  });

  world.rule("can be filtered by every field, alone and together", async (api) => {
    const group = (await api.groups.create(folder, { name: world.name() })).uid;
    await api.groups.delete(group);
    const { entries } = await list(api, { resource: group });
    const [deleted] = entries as [Entry & { requestId: string; time: string }];
    const same = async (filter: object) => {
      // Reads of the log are in the log, too.
      const changes = { resource: group, method: "*Group" };
      const found = (await list(api, { ...changes, ...filter })).entries as Entry[];
      return namesOf(found);
    };
    assert.deepEqual(await same({ method: "Delete*" }), ["DeleteGroup"]);
    assert.deepEqual(await same({ method: "*.GroupsService/Create*" }), ["CreateGroup"]);
    assert.deepEqual(await same({ method: "CreateGroup" }), ["CreateGroup"]);
    assert.deepEqual(await same({ requestId: deleted.requestId }), ["DeleteGroup"]);
    assert.deepEqual(await same({ actor: deleted.actor.uid, outcome: "AUDIT_OUTCOME_SUCCEEDED" }), [
      "DeleteGroup",
      "CreateGroup",
    ]);
    assert.deepEqual(await same({ outcome: "AUDIT_OUTCOME_DENIED" }), []);
    assert.deepEqual(await same({ outcome: "AUDIT_OUTCOME_FAILED" }), []);
    assert.deepEqual(await same({ actor: owner.uid }), []);
    assert.deepEqual(await same({ sourceAddress: "192.0.2.1" }), []);
    assert.deepEqual(await same({ sourceAddress: "127.0.0.1", via: deleted.via }), [
      "DeleteGroup",
      "CreateGroup",
    ]);
    assert.deepEqual(await same({ session: "none" }), []);
    assert.deepEqual(await same({ until: "2020-01-01T00:00:00Z" }), []);
    assert.deepEqual(await same({ since: deleted.time, method: "Delete*" }), ["DeleteGroup"]);
    const changes = { resource: group, method: "*Group" };
    const oldest = await list(api, changes, { orderBy: "time", pageSize: 1 });
    assert.deepEqual(namesOf(oldest.entries), ["CreateGroup"]);
    assert.equal(Number(oldest.totalCount), 2);
    const next = { orderBy: "time", pageSize: 1, pageToken: oldest.nextPageToken };
    const newest = await list(api, changes, next);
    assert.deepEqual(namesOf(newest.entries), ["DeleteGroup"]);
    assert.equal(newest.nextPageToken ?? "", "");
    const skipped = await list(api, changes, { skip: 1 });
    assert.deepEqual(namesOf(skipped.entries), ["CreateGroup"]);
  });

  world.rule("rejects what makes no sense, with the field", async (api) => {
    const fields = async (promise: Promise<unknown>) =>
      Object.keys((await rejected(promise)).fields);
    assert.deepEqual(await fields(list(api, {}, { orderBy: "name" })), ["orderBy"]);
    assert.deepEqual(await fields(list(api, {}, { pageToken: "abc" })), ["pageToken"]);
    assert.deepEqual(await fields(list(api, {}, { skip: -1 })), ["skip"]);
    assert.deepEqual(await fields(list(api, { resource: "acme" })), ["filter.resource"]);
    const times = { since: "2026-01-02T00:00:00Z", until: "2026-01-01T00:00:00Z" };
    assert.deepEqual(await fields(list(api, times)), ["filter.until"]);
    assert.equal((await rejected(api.audit.getAuditEntry({ uid: "0" }))).code, 5);
  });

  world.rule("shows callers only the groups where they hold audit.list", async (api) => {
    const inner = await world.group(folder, world.name());
    const other = await world.group(org, world.name());
    const auditor = api.as((await world.member({ [inner]: "auditor" })).token);
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    const below = (await api.groups.create(inner, { name: world.name() })).uid;
    const seen = (await list(auditor, {})).entries as Entry[];
    assert.ok(seen.some(({ resource }) => resource.uid === below));
    assert.ok(seen.every(({ resource }) => `${resource.uid}/`.startsWith(`${inner}/`)));
    assert.equal(Number((await list(auditor, { resource: other })).totalCount), 0);
    assert.equal(Number((await list(auditor, { resource: org })).totalCount), seen.length + 1);
    assert.equal(Number((await list(viewer, {})).totalCount), 0);
    const [hidden] = (await list(api, { resource: other })).entries as [Entry];
    assert.equal((await api.audit.getAuditEntry({ uid: hidden.uid })).uid, hidden.uid);
    for (const theirs of [auditor, viewer]) {
      assert.equal((await rejected(theirs.audit.getAuditEntry({ uid: hidden.uid }))).code, 5);
    }
  });

  world.rule(
    "has the denied requests of authenticated callers, counted per caller",
    async (api) => {
      const group = await world.group(org, world.name());
      const stranger = await world.member();
      for (let at = 0; at < 5; at++) await rejected(api.as(stranger.token).groups.delete(group));
      const { entries } = await list(api, { resource: group, outcome: "AUDIT_OUTCOME_DENIED" });
      const [denied, ...others] = entries as [Entry];
      assert.deepEqual(others, [], "the first is written, those that follow are counted");
      assert.equal(denied.actor.uid, stranger.uid);
      assert.equal(denied.code, 7);
      assert.match(String(denied.detail.refused), /groups.delete/);
    },
  );

  world.rule("says who read it", async (api) => {
    const group = await world.group(org, world.name());
    const reader = await world.member({ [group]: "auditor" });
    await list(api.as(reader.token), {});
    const { entries } = await list(api, { resource: group, actor: reader.uid });
    assert.deepEqual(namesOf(entries), ["ListAuditEntries"]);
  });

  world.rule("says who was denied something, whatever they were denied elsewhere", async (api) => {
    const group = await world.group(org, world.name());
    const elsewhere = await world.group(await world.organization(), world.name());
    const stranger = await world.member();
    const theirs = api.as(stranger.token);
    for (let at = 0; at < 25; at++) {
      const nothing = `${elsewhere.slice(0, 30)}${String(at).padStart(10, "0")}`;
      await rejected(theirs.groups.get(at % 2 ? nothing : `${elsewhere}/${at}`.slice(0, 57)));
    }
    await rejected(theirs.groups.get(group));
    await rejected(theirs.groups.delete(group));
    const { entries } = await list(api.as(owner.token), { resource: group, actor: stranger.uid });
    assert.deepEqual(namesOf(entries), ["DeleteGroup", "GetGroup"]);
  });

  world.rule("says who read and exported it, whatever they did before", async (api) => {
    const group = await world.group(org, world.name());
    const reader = await world.member({ [group]: "auditor" });
    const theirs = api.as(reader.token);
    for (let at = 0; at < 25; at++) {
      const below = `${group}/${at.toString(16).padStart(16, "0")}`;
      await rejected(theirs.groups.delete(below));
      await list(theirs, { resource: below });
    }
    await theirs.audit.exportAuditEntries({ filter: { resource: group } });
    const filter = { resource: group, actor: reader.uid, outcome: "AUDIT_OUTCOME_SUCCEEDED" };
    const { entries } = await list(api.as(owner.token), filter);
    assert.equal(namesOf(entries)[0], "ExportAuditEntries");
    assert.equal(namesOf(entries).filter((name) => name === "ListAuditEntries").length, 21);
  });

  world.rule("says who read it together with many other logs", async (api) => {
    const organizations = await Promise.all(Array.from({ length: 9 }, () => world.organization()));
    const [first = ""] = organizations;
    const reader = await world.member(
      Object.fromEntries(organizations.map((uid) => [uid, "auditor"])),
    );
    await list(api.as(reader.token), {});
    const { entries } = await list(api, { resource: first, actor: reader.uid });
    assert.deepEqual(namesOf(entries), ["ListAuditEntries"]);
  });

  test("names fields of secrets, never their values", async () => {
    const api = world.operator();
    const secret = "s3cr3t-value-that-must-not-appear";
    const oidc = { issuer: "https://login.example.com", clientId: "c", clientSecret: secret };
    const provider = { name: world.name(), defaultRole: await world.role(org, ["groups.list"]) };
    const { uid } = await api.identityProviders.create(org, { ...provider, oidc });
    await api.identityProviders.update(uid, { oidc: { ...oidc, clientSecret: `${secret}2` } });
    await api.identityProviders.delete(uid);
    const { entries } = await list(api, { resource: uid });
    assert.equal(entries.length, 3);
    assert.ok(!JSON.stringify(entries).includes(secret));
    const updated = entries.find(({ method }: Entry) => method.includes("Update")) as Entry;
    assert.deepEqual(updated.changedFields, ["oidc.clientSecret"]);
  });
});
