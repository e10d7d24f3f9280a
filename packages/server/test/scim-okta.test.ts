import assert from "node:assert/strict";
import { before, test } from "node:test";
import { provisioning, type ScimClient } from "./support/providers/scim.ts";
import { onEachStore } from "./support/world/world.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** A person as Okta sends them. */
function person(userName: string, externalId: string) {
  return {
    schemas: [USER],
    userName,
    name: { givenName: "Given", familyName: "Family" },
    emails: [{ primary: true, value: userName, type: "work" }],
    displayName: "Given Family",
    locale: "en-US",
    externalId,
    groups: [],
    password: "never-kept-by-anyone",
    active: true,
  };
}

onEachStore("provisioning with the requests of Okta", (world) => {
  let scim: ScimClient;
  let user: string;
  let other: string;
  let group: string;
  before(async () => {
    scim = (await provisioning(world)).scim;
  });

  test("searches for a user, finds none, and creates one", async () => {
    const query = `filter=userName%20eq%20%22Anna%40example.com%22&startIndex=1&count=100`;
    const none = await scim.get(`/Users?${query}`);
    assert.equal(none.status, 200);
    assert.equal(none.headers.get("content-type"), "application/scim+json");
    assert.deepEqual(none.body, {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    const made = await scim.post("/Users", person("Anna@example.com", "00u1"));
    assert.equal(made.status, 201);
    const { id, meta, ...rest } = made.body;
    const { groups, password, ...kept } = person("Anna@example.com", "00u1");
    assert.deepEqual(rest, kept);
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.equal(meta.resourceType, "User");
    assert.equal(meta.location, `${scim.url}/Users/${id}`);
    assert.equal(made.headers.get("location"), meta.location);
    assert.equal(made.headers.get("etag"), meta.version);
    assert.equal(meta.created, meta.lastModified);
    const found = await scim.get(`/Users?${query.replace("Anna", "aNNA")}`);
    assert.deepEqual(found.body.Resources, [made.body]);
    assert.deepEqual((await scim.get(`/Users/${id}`)).body, made.body);
    user = id;
    other = (await scim.post("/Users", person("ben@example.com", "00u2"))).body.id;
  });

  test("replaces a user by PUT", async () => {
    const body = { ...person("anna@example.com", "00u1"), id: user, title: "Engineer" };
    const { name, ...unnamed } = body;
    const changed = await scim.put(`/Users/${user}`, unnamed);
    assert.equal(changed.status, 200);
    assert.deepEqual([changed.body.title, changed.body.name], ["Engineer", undefined]);
    assert.equal(changed.body.meta.version, 'W/"2"');
    const again = await scim.put(`/Users/${user}`, unnamed);
    assert.equal(again.body.meta.version, 'W/"2"', "nothing changed");
  });

  test("deactivates and reactivates a user", async () => {
    const off = await scim.patch(`/Users/${user}`, { op: "replace", value: { active: false } });
    assert.deepEqual([off.status, off.body.active], [200, false]);
    const { active, ...body } = person("anna@example.com", "00u1");
    const put = await scim.put(`/Users/${user}`, body);
    assert.equal(put.body.active, false, "not let in again because it is not mentioned");
    const on = await scim.patch(`/Users/${user}`, { op: "replace", value: { active: true } });
    assert.equal(on.body.active, true);
  });

  test("pushes a group with its members", async () => {
    const members = [{ value: user, display: "anna@example.com" }];
    const made = await scim.post("/Groups", {
      schemas: [GROUP],
      displayName: "Engineers",
      members,
    });
    assert.equal(made.status, 201);
    group = made.body.id;
    assert.deepEqual(made.body.members, [
      { value: user, $ref: `${scim.url}/Users/${user}`, display: "Given Family", type: "User" },
    ]);
    const { body } = await scim.get(`/Users/${user}`);
    assert.deepEqual(body.groups, [
      { value: group, $ref: `${scim.url}/Groups/${group}`, display: "Engineers", type: "direct" },
    ]);
  });

  test("renames the group, and adds and removes members", async () => {
    const members = async () =>
      ((await scim.get(`/Groups/${group}`)).body.members ?? []).map(
        (one: { value: string }) => one.value,
      );
    const rename = { op: "replace", value: { id: group, displayName: "Engineering" } };
    assert.equal((await scim.patch(`/Groups/${group}`, rename)).status, 204);
    const added = await scim.patch(
      `/Groups/${group}`,
      { op: "remove", path: `members[value eq "${user}"]` },
      { op: "add", path: "members", value: [{ value: other, display: "ben" }] },
    );
    assert.deepEqual([added.status, added.body], [204, undefined]);
    assert.deepEqual(await members(), [other]);
    await scim.patch(`/Groups/${group}`, {
      op: "replace",
      path: "members",
      value: [{ value: user }, { value: other }, { value: user }],
    });
    assert.deepEqual(await members(), [user, other]);
    const version = (await scim.get(`/Groups/${group}`)).headers.get("etag");
    await scim.patch(`/Groups/${group}`, { op: "add", path: "members", value: [{ value: user }] });
    assert.equal((await scim.get(`/Groups/${group}`)).headers.get("etag"), version);
    const put = await scim.put(`/Groups/${group}`, {
      displayName: "Engineering",
      members: [{ value: other }],
    });
    assert.deepEqual(
      put.body.members.map((one: { display: string }) => one.display),
      ["Given Family"],
    );
    assert.equal(put.body.displayName, "Engineering");
  });

  test("deletes a user, who is then in no group", async () => {
    const before = (await scim.get(`/Groups/${group}`)).body;
    assert.equal((await scim.delete(`/Users/${other}`)).status, 204);
    assert.equal((await scim.get(`/Users/${other}`)).status, 404);
    assert.equal((await scim.delete(`/Users/${other}`)).status, 404);
    const after = (await scim.get(`/Groups/${group}`)).body;
    assert.equal(after.members, undefined);
    assert.notEqual(after.meta.version, before.meta.version);
    assert.equal((await scim.delete(`/Groups/${group}`)).status, 204);
    assert.equal((await scim.get("/Groups")).body.totalResults, 0);
    assert.equal((await scim.get("/Users")).body.totalResults, 1);
  });
});
