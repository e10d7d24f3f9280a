import assert from "node:assert/strict";
import { before, test } from "node:test";
import { CountedTask } from "../src/lib/testing/counted-task.ts";
import { toResources } from "../src/scim/protocol/representation.ts";
import { GROUP } from "../src/scim/protocol/schemas.ts";
import { type ScimRow, scimGroups } from "../src/store/tables/scim/resources.ts";
import { all } from "./support/oracle/random-plan.ts";
import { provisioning, type ScimClient } from "./support/providers/scim.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

/** More than a page has at most. */
const PEOPLE = 210;

onEachStore("a list of many people", (world) => {
  let scim: ScimClient;
  before(async () => {
    scim = (await provisioning(world)).scim;
    const numbers = Array.from({ length: PEOPLE }, (_, at) => at);
    await all(numbers, async (at) => {
      const made = await scim.post("/Users", {
        userName: `user${String(at).padStart(4, "0")}@example.com`,
        externalId: `ext-${at}`,
        displayName: at % 2 === 0 ? `Even ${at}` : `Odd ${at}`,
        active: at % 10 !== 0,
        emails: [
          { value: `user${at}@work.example.com`, type: "work", primary: true },
          { value: `user${at}@home.example.com`, type: "home" },
        ],
        ...(at === 7 ? { title: 'says "hi" \\ there' } : {}),
      });
      assert.equal(made.status, 201);
    });
  });

  const total = async (filter: string) => {
    const { status, body } = await scim.get(`/Users?count=0&filter=${encodeURIComponent(filter)}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.Resources, []);
    return body.totalResults;
  };

  test("its pages have every user once", async () => {
    const names: string[] = [];
    for (let startIndex = 1; startIndex <= PEOPLE; startIndex += 150) {
      const { body } = await scim.get(`/Users?startIndex=${startIndex}&count=150`);
      assert.equal(body.totalResults, PEOPLE);
      assert.equal(body.startIndex, startIndex);
      assert.equal(body.itemsPerPage, body.Resources.length);
      names.push(...body.Resources.map((one: { userName: string }) => one.userName));
    }
    assert.equal(new Set(names).size, PEOPLE);
    assert.equal(names.length, PEOPLE);
  });

  test("so do pages with a filter", async () => {
    const filter = encodeURIComponent('displayName sw "even"');
    const seen = new Set<string>();
    for (const startIndex of [1, 61, 121]) {
      const { body } = await scim.get(`/Users?filter=${filter}&startIndex=${startIndex}&count=60`);
      assert.equal(body.totalResults, PEOPLE / 2);
      for (const { id } of body.Resources) seen.add(id);
    }
    assert.equal(seen.size, PEOPLE / 2);
  });

  test("startIndex and count out of range are clamped", async () => {
    const page = async (query: string) => (await scim.get(`/Users?${query}`)).body;
    assert.equal((await page("")).itemsPerPage, 100);
    assert.equal((await page("count=5000")).itemsPerPage, 200);
    assert.equal((await page("count=-3")).itemsPerPage, 0);
    assert.equal((await page("startIndex=0&count=1")).startIndex, 1);
    assert.equal((await page("startIndex=-7&count=1")).startIndex, 1);
    const beyond = await page("startIndex=5000");
    assert.deepEqual([beyond.totalResults, beyond.itemsPerPage], [PEOPLE, 0]);
    for (const query of ["count=many", "startIndex=1.5", "count=99999999999"]) {
      const { status, body } = await scim.get(`/Users?${query}`);
      assert.deepEqual([status, body.scimType], [400, "invalidValue"]);
    }
  });

  const filters: [filter: string, matches: number][] = [
    ['userName eq "USER0005@example.com"', 1],
    ['userName ne "user0005@example.com"', 209],
    ['userName sw "user000"', 10],
    ['userName ew "99@example.com"', 2],
    ['userName co "er020"', 10],
    ['userName gt "user0199@example.com"', 10],
    ['userName ge "user0200@example.com" and userName le "user0202@example.com"', 3],
    ['userName lt "user0002@example.com"', 2],
    ['externalId eq "ext-5"', 1],
    ['externalId eq "EXT-5"', 0],
    ['externalId sw "ext-20"', 11],
    ["externalId pr", PEOPLE],
    ["title pr", 1],
    ["title eq null", 209],
    [String.raw`title eq "says \"hi\" \\ there"`, 1],
    ["active eq false", 21],
    ['active eq true and displayName sw "Even"', 84],
    ["not (active eq true)", 21],
    ['emails eq "USER5@work.example.com"', 1],
    ['emails.value co "@home.example.com"', PEOPLE],
    ['emails[type eq "work" and value co "user20"]', 11],
    ['emails[type eq "home" and primary eq true]', 0],
    ['userName eq "user0001@example.com" or userName eq "user0002@example.com"', 2],
    ['userName eq "user0001@example.com" and externalId eq "ext-2"', 0],
    ['displayName eq "even 4" or displayName eq "ODD 5" and active eq false', 1],
    ['(displayName eq "even 4" or displayName eq "ODD 5") and active eq true', 2],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "user0001@example.com"', 1],
    ["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department pr", 0],
    ['USERNAME EQ "user0001@example.com"', 1],
    ['meta.lastModified gt "2020-01-01T00:00:00Z"', PEOPLE],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', 0],
    ['meta.resourceType eq "User"', PEOPLE],
    ["groups pr", 0],
  ];
  for (const [filter, matches] of filters) {
    test(`${filter} matches ${matches}`, async () => assert.equal(await total(filter), matches));
  }

  test("a user is read by id, with the requested attributes", async () => {
    const { body } = await scim.get("/Users?count=1");
    const [{ id, userName }] = body.Resources;
    assert.equal(await total(`id eq "${id}"`), 1);
    const only = await scim.get(`/Users/${id}?attributes=userName,emails.value,unknown`);
    assert.deepEqual(Object.keys(only.body).sort(), ["emails", "id", "schemas", "userName"]);
    assert.deepEqual(Object.keys(only.body.emails[0]), ["value"]);
    const without = await scim.get(`/Users/${id}?excludedAttributes=emails,id,META`);
    assert.equal(without.body.userName, userName);
    assert.equal("emails" in without.body || "meta" in without.body, false);
    assert.equal(without.body.id, id, "the id cannot be left out");
  });

  test("a group has all its members in the order of users, whom it reads in batches", async () => {
    const { Resources } = (await scim.get("/Users?count=200")).body;
    const more = (await scim.get("/Users?count=200&startIndex=201")).body.Resources;
    const ids = [...Resources, ...more].map((one: { id: string }) => one.id);
    assert.equal(ids.length, PEOPLE);
    const members = ids.map((value) => ({ value }));
    const made = await scim.post("/Groups", { displayName: "Everybody", members });
    assert.equal(made.status, 201);
    const valuesOf = (group: { members: { value: string }[] }) =>
      group.members.map(({ value }) => value);
    assert.deepEqual(valuesOf((await scim.get(`/Groups/${made.body.id}`)).body), ids);
    const listed = (await scim.get("/Groups")).body.Resources;
    assert.deepEqual(valuesOf(listed[0]), ids);

    const direct = await DirectStore.open(world.server);
    const { reader } = direct.store;
    const sql = "SELECT provider FROM scim_groups WHERE resource = ?";
    const found = await reader.get<{ provider: string }>(sql, made.body.id);
    const row = await scimGroups.find(reader, found?.provider ?? "", made.body.id);
    const task = new CountedTask();
    await toResources({ reader, base: "", task }, GROUP, [row as ScimRow], true);
    assert.ok(task.steps > PEOPLE, "other requests run between any two members");
    await direct.close();
  });

  for (const filter of [
    "userName",
    "userName eq",
    'userName is "x"',
    'noSuch eq "x"',
    'name eq "x"',
    "active gt true",
    'meta.lastModified gt "yesterday"',
    'userName eq "x" and',
    '(userName eq "x"',
    'emails[noSuch eq "x"]',
    'userName[value eq "x"]',
    'userName eq "x" constructor userName eq "y"',
    '__proto__ eq "x"',
    'userName eq "a\\u0000b"',
    'emails[value eq "\\u0000"]',
    "(".repeat(3_000),
    "not ".repeat(1_000),
  ]) {
    test(`${filter.slice(0, 50)} is rejected`, async () => {
      const { status, body } = await scim.get(`/Users?filter=${encodeURIComponent(filter)}`);
      assert.deepEqual([status, body.scimType], [400, "invalidFilter"]);
    });
  }
});
