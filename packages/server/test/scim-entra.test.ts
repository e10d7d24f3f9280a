import assert from "node:assert/strict";
import { before, test } from "node:test";
import { provisioning, type ScimClient } from "./support/providers/scim.ts";
import { onEachStore } from "./support/world/world.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const OID = "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef";

onEachStore("provisioning with the requests of Entra ID", (world) => {
  let scim: ScimClient;
  let user: string;
  let group: string;
  before(async () => {
    const oidc = { correlationRule: "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID" };
    scim = (await provisioning(world, oidc)).scim;
  });

  test("tests the connection by filtering for an unknown user", async () => {
    const query = `filter=userName+eq+%22${OID}%22`;
    const { status, body } = await scim.get(`/Users?${query}`);
    assert.deepEqual([status, body.totalResults], [200, 0]);
  });

  test("creates a user with the enterprise extension", async () => {
    const made = await scim.post("/Users", {
      schemas: [USER, ENTERPRISE],
      externalId: OID,
      userName: "test@example.com",
      active: "True",
      addresses: null,
      displayName: "Test",
      emails: [{ type: "work", value: "test@example.com", primary: true }],
      meta: { resourceType: "User" },
      name: { formatted: "Test User", familyName: "User", givenName: "Test" },
      roles: [],
      [ENTERPRISE]: { department: "Sales", manager: "a-manager" },
    });
    assert.equal(made.status, 201);
    assert.equal(made.body.active, true);
    assert.deepEqual(made.body.schemas, [USER, ENTERPRISE]);
    assert.deepEqual(made.body[ENTERPRISE], {
      department: "Sales",
      manager: { value: "a-manager" },
    });
    assert.equal("roles" in made.body || "addresses" in made.body, false);
    user = made.body.id;
  });

  test("finds users by userName and externalId", async () => {
    assert.deepEqual(await scim.find("Users", 'userName eq "TEST@example.com"'), [
      "test@example.com",
    ]);
    assert.deepEqual(await scim.find("Users", `externalId eq "${OID}"`), ["test@example.com"]);
    assert.deepEqual(await scim.find("Users", `externalId eq "${OID.toUpperCase()}"`), []);
  });

  test("changes several attributes in one patch, by paths with filters", async () => {
    const { status, body } = await scim.patch(
      `/Users/${user}`,
      { op: "Replace", path: 'emails[type eq "work"].value', value: "updated@example.com" },
      { op: "Replace", path: "name.familyName", value: "Changed" },
      { op: "Add", path: `${ENTERPRISE}:department`, value: "Marketing" },
      { op: "Add", path: `${ENTERPRISE}:manager`, value: "another-manager" },
      { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+1 555 0100" },
      { op: "Replace", path: `${USER}:displayName`, value: "Changed Test" },
      { op: "Remove", path: "name.formatted" },
    );
    assert.equal(status, 200);
    assert.deepEqual(body.emails, [{ type: "work", value: "updated@example.com", primary: true }]);
    assert.deepEqual(body.name, { familyName: "Changed", givenName: "Test" });
    assert.deepEqual(body[ENTERPRISE], {
      department: "Marketing",
      manager: { value: "another-manager" },
    });
    assert.deepEqual(body.phoneNumbers, [{ type: "mobile", value: "+1 555 0100" }]);
    assert.equal(body.displayName, "Changed Test");
    assert.equal(body.meta.version, 'W/"2"');
  });

  test("sends names with dots, and whole extensions, without a path", async () => {
    const { body } = await scim.patch(`/Users/${user}`, {
      op: "Replace",
      value: {
        "name.givenName": "Dotted",
        [`${ENTERPRISE}:costCenter`]: "42",
        [ENTERPRISE]: { division: "North", unheardOf: true },
        'emails[type eq "home"].value': "home@example.com",
        unheardOf: "ignored",
      },
    });
    assert.equal(body.name.givenName, "Dotted");
    assert.deepEqual(body[ENTERPRISE], {
      department: "Marketing",
      manager: { value: "another-manager" },
      costCenter: "42",
      division: "North",
    });
    assert.deepEqual(body.emails[1], { type: "home", value: "home@example.com" });
    assert.equal("unheardOf" in body, false);
  });

  test('accepts "False" as a boolean to deactivate a user', async () => {
    const off = await scim.patch(`/Users/${user}`, {
      op: "Replace",
      path: "active",
      value: "False",
    });
    assert.equal(off.body.active, false);
    assert.deepEqual(await scim.find("Users", "active eq false"), ["test@example.com"]);
    assert.deepEqual(await scim.find("Users", 'active eq "True"'), []);
    await scim.patch(`/Users/${user}`, { op: "Add", path: "active", value: "True" });
  });

  test("creates a group, and reads it with excludedAttributes=members", async () => {
    const made = await scim.post("/Groups", {
      schemas: [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
      externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
      displayName: "Sales",
      meta: { resourceType: "Group" },
    });
    assert.equal(made.status, 201);
    group = made.body.id;
    const add = { op: "Add", path: "members", value: [{ $ref: null, value: user }] };
    assert.equal((await scim.patch(`/Groups/${group}`, add)).status, 204);
    const short = await scim.get(`/Groups/${group}?excludedAttributes=members`);
    assert.equal("members" in short.body, false);
    assert.equal((await scim.get(`/Groups/${group}`)).body.members.length, 1);
    const exclude = "&excludedAttributes=members";
    assert.deepEqual(await scim.find("Groups", 'displayName eq "sales"', exclude), ["Sales"]);
  });

  test("filters by member, and removes a member by value", async () => {
    const holds = (id: string) =>
      scim.find("Groups", `id eq "${group}" and members eq "${id}"`, "&attributes=displayName");
    assert.deepEqual(await holds(user), ["Sales"]);
    const remove = { op: "Remove", path: "members", value: [{ $ref: null, value: user }] };
    assert.equal((await scim.patch(`/Groups/${group}`, remove)).status, 204);
    assert.deepEqual(await holds(user), []);
    await scim.patch(`/Groups/${group}`, { op: "Add", path: "members", value: [{ value: user }] });
    await scim.patch(`/Groups/${group}`, { op: "Remove", path: "members" });
    assert.deepEqual(await scim.find("Groups", "members pr"), []);
  });
});
