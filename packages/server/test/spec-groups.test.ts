import assert from "node:assert/strict";
import { test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const ROOT = /^[0-9a-f]{40}$/;
const CHILD = /^[0-9a-f]{40}\/[0-9a-f]{16}$/;
const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOWHERE = "0".repeat(40);

onEachStore("groups", (world) => {
  const body = async (method: string, path: string, content?: string) => {
    const response = await fetch(`${world.server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${world.operator().token}`,
        "content-type": "application/json",
      },
      ...(content === undefined ? {} : { body: content }),
    });
    return { status: response.status, text: await response.text() };
  };

  world.rule(
    "a group without a parent is an organization with every field in place",
    async (api) => {
      const began = Date.now();
      const created = await api.groups.create("", { name: "acme", description: "All of Acme" });
      const { uid, createTime, updateTime } = created;
      assert.deepEqual(created, {
        uid,
        name: "acme",
        description: "All of Acme",
        resourceLimits: {},
        verified: false,
        createTime,
        updateTime,
        kind: "ORG_KIND_UNSPECIFIED",
        status: "ORG_STATUS_READY",
      });
      assert.match(uid, ROOT);
      assert.match(createTime, MILLISECONDS);
      assert.equal(updateTime, createTime);
      assert.ok(Date.parse(createTime) >= began && Date.parse(createTime) <= Date.now());
      assert.deepEqual(await api.groups.get(uid), created);
    },
  );

  world.rule('"/" as parent means no parent', async (api) => {
    assert.match((await api.groups.create("/", { name: "slash" })).uid, ROOT);
  });

  world.rule("the uid of a nested group extends that of its parent", async (api) => {
    const parent = await world.organization();
    const child = await api.groups.create(parent, { name: "folder" });
    assert.match(child.uid, CHILD);
    assert.ok(child.uid.startsWith(`${parent}/`));
    const grandchild = await api.groups.create(child.uid, { name: "folder" });
    assert.match(grandchild.uid, /^[0-9a-f]{40}(\/[0-9a-f]{16}){2}$/);
    assert.ok(grandchild.uid.startsWith(`${child.uid}/`));
  });

  world.rule("a parent may be given by a unique name", async (api) => {
    const name = world.name("parent by name");
    const parent = await world.organization(name);
    assert.ok((await api.groups.create(name, { name: "child" })).uid.startsWith(`${parent}/`));
  });

  world.rule("an ambiguous parent name is rejected", async (api) => {
    const name = world.name("ambiguous");
    await world.organization(name);
    const second = await world.organization(name);
    const refusal = await rejected(api.groups.create(name, { name: "child" }));
    assert.equal(refusal.code, 3);
    assert.deepEqual(Object.keys(refusal.fields), ["parent"]);
    // For someone who can create in one of them only, the name is clear.
    const owner = await world.member({ [second]: "owner" });
    const child = await api.as(owner.token).groups.create(name, { name: "child" });
    assert.ok(child.uid.startsWith(`${second}/`));
  });

  world.rule("a parent may be given by the last segments of its uid", async (api) => {
    const folder = await world.group(await world.organization());
    const [, first = ""] = folder.split("/");
    const deeper = await api.groups.create(first, { name: "child" });
    assert.ok(deeper.uid.startsWith(`${folder}/`));
    const steps = deeper.uid.slice(folder.length - first.length);
    assert.match(steps, /^[0-9a-f]{16}\/[0-9a-f]{16}$/);
    const child = await api.groups.create(steps, { name: "child" });
    assert.ok(child.uid.startsWith(`${deeper.uid}/`));

    const other = await world.organization();
    const stranger = api.as((await world.member({ [other]: "owner" })).token);
    for (const [caller, parent] of [
      [stranger, first],
      [stranger, steps],
      [api, first.slice(1)],
      [api, `${steps.startsWith("0") ? "1" : "0"}${steps.slice(1)}`],
    ] as const) {
      const refusal = await rejected(caller.groups.create(parent, { name: "child" }));
      assert.deepEqual([refusal.code, refusal.missing], [5, `Group ${parent}`]);
    }
    // A name that looks like them cannot take their place.
    await world.group(other, first);
    const refusal = await rejected(api.groups.create(first, { name: "child" }));
    assert.deepEqual(Object.keys(refusal.fields), ["parent"]);
    const named = await stranger.groups.create(first, { name: "child" });
    assert.ok(named.uid.startsWith(`${other}/`));
  });

  world.rule("an unknown parent is not found", async (api) => {
    const org = await world.organization();
    for (const parent of [NOWHERE, `${org}/0123456789abcdef`, "no such name"]) {
      const refusal = await rejected(api.groups.create(parent, { name: "child" }));
      assert.deepEqual([refusal.code, refusal.missing], [5, `Group ${parent}`]);
    }
  });

  world.rule("names of groups that the caller cannot see do not resolve", async (api) => {
    const name = world.name("elsewhere");
    await world.organization(name);
    const stranger = await world.member({ [await world.organization()]: "owner" });
    const refusal = await rejected(api.as(stranger.token).groups.create(name, { name: "child" }));
    assert.equal(refusal.code, 5);
  });

  test("an empty body fails validation exactly as the specification shows", async () => {
    const expected =
      `{"code":3,"message":"Invalid argument: name: name must match \\"^[a-z0-9 ._-]{1,}$\\"",` +
      `"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` +
      `"reason":"INVALID_ARGUMENT","domain":"iam.wharf.internal"},` +
      `{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":` +
      `[{"field":"name","description":"name must match \\"^[a-z0-9 ._-]{1,}$\\""}]}]}`;
    for (const content of ["", "{}", '{"name":""}', '{"name":null}', '{"name":"Acme"}']) {
      const answer = await body("POST", "/iam/v2beta1/groups", content);
      assert.deepEqual(answer, { status: 400, text: expected }, content);
    }
  });

  world.rule("a name must match the expression", async (api) => {
    for (const name of ["", "Acme", "a/b", "a\n", "ä", "a\tb"]) {
      const refusal = await rejected(api.groups.create("", { name }));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, ["name"]], name);
    }
    for (const name of ["a", "a b", "a.b_c-d", "0", "x".repeat(255)]) {
      assert.equal((await api.groups.create("", { name })).name, name);
    }
    const { fields } = await rejected(api.groups.create("", { name: "x".repeat(256) }));
    assert.deepEqual(Object.keys(fields), ["name"]);
  });

  world.rule("every invalid field is named", async (api) => {
    const refusal = await rejected(api.groups.create("", { name: "No", description: "a\x1bb" }));
    assert.deepEqual(Object.keys(refusal.fields), ["name", "description"]);
  });

  world.rule("output-only fields are ignored on create", async (api) => {
    const created = await api.groups.create("", {
      uid: NOWHERE,
      name: "mine",
      verified: true,
      status: "ORG_STATUS_SUSPENDED",
      createTime: "2001-01-01T00:00:00.000Z",
    });
    assert.notEqual(created.uid, NOWHERE);
    assert.equal(created.verified, false);
    assert.equal(created.status, "ORG_STATUS_READY");
    assert.ok(Date.parse(created.createTime) > Date.parse("2020-01-01"));
  });

  test("unknown keys of a body are ignored on create", async () => {
    const { status } = await body("POST", "/iam/v2beta1/groups", '{"name":"x","color":{"a":[1]}}');
    assert.equal(status, 200);
  });

  world.rule("a list by name returns only groups whose name is exactly that", async (api) => {
    const org = await world.organization();
    const exact = [await world.group(org, "dev"), await world.group(org, "dev")];
    for (const name of ["dev2", "de", "my dev", "dev "]) await world.group(org, name);
    const list = await api.groups.list({ name: "dev", uidp: { descendantsOf: org } });
    assert.deepEqual(
      list.groups.map((group: { uid: string }) => group.uid),
      exact.sort(),
    );
    assert.equal(list.totalCount, "2");
    assert.deepEqual((await api.groups.list({ name: "DEV" })).groups, []);
  });

  world.rule("Get finds existing groups only", async (api) => {
    const org = await world.organization();
    const missing = `${org}/0123456789abcdef`;
    const refusal = await rejected(api.groups.get(missing));
    assert.equal(refusal.code, 5);
    assert.deepEqual(refusal.details, [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "NOT_FOUND",
        domain: "iam.wharf.internal",
      },
      {
        "@type": "type.googleapis.com/google.rpc.ResourceInfo",
        resourceType: "iam.wharf.internal/Group",
        resourceName: missing,
      },
    ]);
    const malformed = await rejected(api.groups.get("not a uid"));
    assert.deepEqual(Object.keys(malformed.fields), ["uid"]);
    const identity = (await world.member()).uid;
    assert.equal((await rejected(api.groups.get(identity))).code, 5, "an identity is not a group");
  });

  test("a uid in a path may have its slashes encoded", async () => {
    const uid = await world.group(await world.organization());
    const { status, text } = await body("GET", `/iam/v2beta1/groups/${encodeURIComponent(uid)}`);
    assert.deepEqual([status, JSON.parse(text).uid], [200, uid]);
  });

  world.rule("an empty group is deleted once, and its uid is not reused", async (api) => {
    const org = await world.organization();
    assert.deepEqual(await api.groups.delete(org), {});
    assert.equal((await rejected(api.groups.get(org))).code, 5);
    assert.equal((await rejected(api.groups.delete(org))).code, 5);
    assert.equal((await api.groups.list({ uidp: { ids: [org] } })).totalCount, "0");
  });

  test("deleting a group with a child fails exactly as the specification shows", async () => {
    const org = await world.organization();
    await world.group(org);
    const expected =
      `{"code":9,"message":"Precondition failed: cannot delete group with child groups",` +
      `"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` +
      `"reason":"FAILED_PRECONDITION","domain":"iam.wharf.internal"},` +
      `{"@type":"type.googleapis.com/google.rpc.PreconditionFailure","violations":` +
      `[{"type":"RESOURCE_NOT_EMPTY","description":"cannot delete group with child groups"}]}]}`;
    const answer = await body("DELETE", `/iam/v2beta1/groups/${org}`);
    assert.deepEqual(answer, { status: 400, text: expected });
  });

  world.rule("a group is not deleted while any kind of resource is in it", async (api) => {
    const viewer = roleNamed("viewer");
    const { uid: identityUid } = await world.member();
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
    const fillings: Record<string, (org: string) => Promise<{ uid: string }>> = {
      groups: (org) => api.groups.create(org, { name: "child" }),
      identities: (org) => api.identities.create(org, { name: "child", claimMatch }),
      roles: (org) => api.roles.create(org, { name: "child", capabilities: ["CAP_TAG_LIST"] }),
      "role bindings": (org) => api.roleBindings.create(org, { identityUid, roleUid: viewer }),
    };
    for (const [plural, fill] of Object.entries(fillings)) {
      const org = await world.organization();
      const { uid } = await fill(org);
      const refusal = await rejected(api.groups.delete(org));
      assert.equal(refusal.code, 9);
      assert.deepEqual(refusal.violations, ["RESOURCE_NOT_EMPTY"]);
      assert.equal((await api.groups.get(org)).uid, org, "nothing of it is gone");
      const kind = plural === "role bindings" ? "roleBindings" : (plural as "groups");
      await api[kind].delete(uid);
      await api.groups.delete(org);
    }
  });
});
