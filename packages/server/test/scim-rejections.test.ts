import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Provisioning, provisioning, ScimClient } from "./support/providers/scim.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { onEachStore, onStore } from "./support/world/world.ts";

onEachStore("callers that SCIM rejects", (world) => {
  let made: Provisioning;
  before(async () => {
    made = await provisioning(world);
  });

  test("without a token, with another provider's, or with an API token", async () => {
    const { url } = made.scim;
    const other = await provisioning(world);
    const api = world.operator().token;
    for (const token of ["", "cgscim_", other.scim.token, api, `${made.scim.token}0`]) {
      for (const path of ["/Users", "/ServiceProviderConfig", "/NoSuch"]) {
        const { status, body, headers } = await new ScimClient(url, token).get(path);
        assert.equal(status, 401, token);
        assert.equal(headers.get("content-type"), "application/scim+json");
        assert.match(headers.get("www-authenticate") ?? "", /^Bearer/);
        assert.deepEqual(body, {
          schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
          status: "401",
          detail: "a token for provisioning by this identity provider is required",
        });
      }
    }
    const nowhere = url.replace(/.{16}$/, "0123456789abcdef");
    assert.equal((await new ScimClient(nowhere, made.scim.token).get("/Users")).status, 401);
  });

  test("while provisioning is disabled", async () => {
    const { provider, scim, etag } = await provisioning(world);
    const { get } = { get: () => scim.get("/Users") };
    await world
      .operator()
      .identityProviders.setScimEnabled({ identityProviderUid: provider, enabled: false, etag });
    const off = await get();
    assert.deepEqual([off.status, off.body.detail], [403, "provisioning is disabled"]);
  });

  test("with a revoked, replaced or expired token", async () => {
    const { provider, scim, etag } = await provisioning(world);
    const api = world.operator();
    const works = async (token: string) =>
      (await new ScimClient(scim.url, token).get("/Users")).status === 200;
    const second = await api.identityProviders.regenerateScimToken({
      identityProviderUid: provider,
      etag,
    });
    assert.deepEqual([await works(scim.token), await works(second.token)], [true, true]);
    const third = await api.identityProviders.regenerateScimToken({
      identityProviderUid: provider,
      etag: second.etag,
      overlap: "0s",
    });
    assert.deepEqual(
      [await works(scim.token), await works(second.token), await works(third.token)],
      [false, false, true],
    );
    await api.identityProviders.revokeScimToken({ identityProviderUid: provider });
    assert.equal(await works(third.token), false);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const fourth = await api.identityProviders.generateScimToken({
      identityProviderUid: provider,
      expireTime: later,
    });
    assert.equal(await works(fourth.token), true);
    const direct = await DirectStore.open(world.server);
    await direct.store.write((tx) => {
      const sql = "UPDATE scim_credentials SET token_expires = ? WHERE provider = ?";
      return tx.run(sql, Date.now(), provider);
    });
    await direct.close();
    assert.equal(await works(fourth.token), false);
    const { scim: status } = await api.identityProviders.get(provider);
    assert.equal(status.credentialState, "CREDENTIAL_STATE_EXPIRED");
  });

  test("one identity provider cannot see or change users of another", async () => {
    const other = await provisioning(world);
    const { body: user } = await made.scim.post("/Users", { userName: "mine", externalId: "x" });
    assert.equal((await other.scim.get(`/Users/${user.id}`)).status, 404);
    assert.equal((await other.scim.delete(`/Users/${user.id}`)).status, 404);
    assert.equal((await other.scim.put(`/Users/${user.id}`, { userName: "x" })).status, 404);
    assert.equal((await other.scim.get("/Users")).body.totalResults, 0);
    const members = [{ value: user.id }];
    const group = await other.scim.post("/Groups", { displayName: "g", members });
    assert.deepEqual([group.status, group.body.scimType], [400, "invalidValue"]);
    assert.equal((await other.scim.get("/Groups")).body.totalResults, 0, "nothing is left of it");
    const same = await other.scim.post("/Users", { userName: "mine", externalId: "x" });
    assert.equal(same.status, 201, "names are a provider's own");
  });

  describe("requests that SCIM rejects", () => {
    let user: string;
    let group: string;
    before(async () => {
      const { scim } = made;
      const body = { userName: "taken", externalId: "taken-id", emails: [{ value: "a@b.c" }] };
      user = (await scim.post("/Users", body)).body.id;
      const given = { displayName: "group", externalId: "group-id", members: [{ value: user }] };
      group = (await scim.post("/Groups", given)).body.id;
    });

    test("a second user or group of the same name", async () => {
      const { scim } = made;
      const other = (await scim.post("/Users", { userName: "other" })).body.id;
      for (const refused of [
        await scim.post("/Users", { userName: "TAKEN" }),
        await scim.post("/Users", { userName: "new", externalId: "taken-id" }),
        await scim.put(`/Users/${other}`, { userName: "Taken" }),
        await scim.patch(`/Users/${other}`, { op: "add", path: "externalId", value: "taken-id" }),
        await scim.post("/Groups", { displayName: "x", externalId: "group-id" }),
      ])
        assert.deepEqual([refused.status, refused.body.scimType], [409, "uniqueness"]);
      assert.equal((await scim.get(`/Users/${other}`)).body.userName, "other");
      const sameName = await scim.post("/Groups", { displayName: "group" });
      assert.equal(sameName.status, 201, "names of groups may repeat");
      const sameMail = { userName: "same mail", emails: [{ value: "a@b.c" }] };
      assert.equal((await scim.post("/Users", sameMail)).status, 201, "and so may addresses");
    });

    const bodies: [title: string, body: unknown, scimType: string][] = [
      ["no name", {}, "invalidValue"],
      ["an empty name", { userName: "" }, "invalidValue"],
      ["a number for a name", { userName: 5 }, "invalidValue"],
      ["a name that is too long", { userName: "x".repeat(256) }, "invalidValue"],
      ["NUL in a name", { userName: "a\0b" }, "invalidValue"],
      ["a word that is no switch", { userName: "x", active: "perhaps" }, "invalidValue"],
      ["a list for an object", { userName: "x", name: [] }, "invalidSyntax"],
      ["too many values", { userName: "x", emails: Array(201).fill({ value: "x" }) }, "tooMany"],
      ["a list", [], "invalidSyntax"],
      ["what is no JSON", "{", "invalidSyntax"],
    ];
    for (const [title, body, scimType] of bodies) {
      test(title, async () => {
        const { status, body: said } = await made.scim.post("/Users", body);
        assert.deepEqual([status, said.status, said.scimType], [400, "400", scimType]);
      });
    }

    const patches: [title: string, operation: object, scimType: string][] = [
      ["an unknown operation", { op: "move", path: "title" }, "invalidSyntax"],
      ["an unknown path", { op: "add", path: "noSuch", value: 1 }, "invalidPath"],
      ["a path into a prototype", { op: "add", path: "__proto__.x", value: 1 }, "invalidPath"],
      ["a path that never ends", { op: "add", path: "a.".repeat(600), value: 1 }, "invalidPath"],
      ["a filter on one value", { op: "add", path: "name[x eq 1]", value: 1 }, "invalidPath"],
      ["a broken filter", { op: "add", path: "emails[type]", value: {} }, "invalidFilter"],
      ["NUL in a filter", { op: "remove", path: 'emails[value eq "\\u0000"]' }, "invalidFilter"],
      ["removing nothing in particular", { op: "remove" }, "noTarget"],
      [
        "replacing what no description makes",
        { op: "replace", path: 'emails[type sw "x"].value', value: "x" },
        "noTarget",
      ],
      ["changing the id", { op: "replace", path: "id", value: "x" }, "mutability"],
      ["changing the groups", { op: "add", path: "groups", value: [] }, "mutability"],
      ["a wrong type", { op: "replace", path: "active", value: 1 }, "invalidValue"],
      ["taking the name away", { op: "remove", path: "userName" }, "invalidValue"],
      ["no object without a path", { op: "add", value: "x" }, "invalidSyntax"],
    ];
    for (const [title, operation, scimType] of patches) {
      test(`a patch with ${title}`, async () => {
        const before = (await made.scim.get(`/Users/${user}`)).body;
        const good = { op: "add", path: "title", value: "not kept" };
        const { status, body } = await made.scim.patch(`/Users/${user}`, good, operation);
        assert.deepEqual([status, body.scimType], [400, scimType]);
        assert.deepEqual((await made.scim.get(`/Users/${user}`)).body, before);
      });
    }

    test("NUL in a member", async () => {
      const { scim } = made;
      for (const members of ["\0", [{ value: "a\0b" }]]) {
        for (const refused of [
          await scim.post("/Groups", { displayName: "nul", members }),
          await scim.patch(`/Groups/${group}`, { op: "add", path: "members", value: members }),
          await scim.patch(`/Groups/${group}`, { op: "remove", path: "members", value: members }),
        ])
          assert.deepEqual([refused.status, refused.body.scimType], [400, "invalidValue"]);
      }
    });

    test("keys that would pollute the prototype", async () => {
      const body = `{"userName":"proto","name":{"__proto__":{"polluted":1},"givenName":"g"},
        "__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`;
      const { body: created } = await made.scim.post("/Users", body);
      assert.deepEqual(created.name, { givenName: "g" });
      const patched = await made.scim.send(
        "PATCH",
        `/Users/${created.id}`,
        `{"Operations":[{"op":"add","value":{"__proto__.polluted":1,"name":{"__proto__.polluted":1}}},
          {"op":"add","path":"name","value":{"constructor.prototype.polluted":1}}]}`,
      );
      assert.equal(patched.status, 200);
      assert.deepEqual(patched.body.name, { givenName: "g" });
      assert.ok(!JSON.stringify((await made.scim.get("/Users")).body).includes("polluted"));
    });

    test("unknown members, and members without a value", async () => {
      const { scim } = made;
      const nobody = [{ value: user }, { value: "nobody" }];
      for (const [operation, scimType] of [
        [{ op: "add", path: "members", value: nobody }, "invalidValue"],
        [{ op: "replace", path: "members", value: nobody }, "invalidValue"],
        [{ op: "add", path: "members", value: [{ display: "x" }] }, "invalidValue"],
        [{ op: "remove", path: 'members[display eq "x"]' }, "invalidPath"],
        [{ op: "replace", path: `members[value eq "${user}"]`, value: {} }, "invalidPath"],
        [{ op: "replace", path: "members.value", value: "x" }, "mutability"],
      ] as const) {
        const { status, body } = await scim.patch(`/Groups/${group}`, operation);
        assert.deepEqual([status, body.scimType], [400, scimType], JSON.stringify(operation));
      }
      const { members } = (await scim.get(`/Groups/${group}`)).body;
      assert.deepEqual(
        members.map((one: { value: string }) => one.value),
        [user],
      );
    });

    test("an update with an outdated ETag", async () => {
      const { scim } = made;
      const path = `/Users/${user}`;
      const etag = (await scim.get(path)).headers.get("etag") as string;
      const body = { userName: "taken", externalId: "taken-id", title: "first" };
      assert.equal((await scim.put(path, body, { "if-match": 'W/"99"' })).status, 412);
      assert.equal((await scim.delete(path, { "if-match": 'W/"99"' })).status, 412);
      const changed = await scim.put(path, body, { "if-match": etag });
      assert.equal(changed.status, 200);
      assert.equal((await scim.put(path, body, { "if-match": etag })).status, 412);
      assert.equal((await scim.put(path, body, { "if-match": "*" })).status, 200);
      const now = changed.headers.get("etag") as string;
      const same = await scim.get(path, { "if-none-match": now });
      assert.deepEqual([same.status, same.body], [304, undefined]);
      assert.equal((await scim.get(path, { "if-none-match": etag })).status, 200);
    });

    test("oversized bodies, other media types, methods and paths", async () => {
      const { scim } = made;
      const large = { userName: "x", title: "x".repeat(300 * 1024) };
      assert.equal((await scim.post("/Users", large)).status, 413);
      const xml = { "content-type": "application/xml" };
      assert.equal((await scim.send("POST", "/Users", "<x/>", xml)).status, 415);
      const plain = { "content-type": "application/json; charset=utf-8" };
      const json = await scim.send("POST", "/Users", { userName: "by json" }, plain);
      assert.equal(json.status, 201);
      assert.equal((await scim.send("PUT", "/Users", {})).status, 405);
      assert.equal((await scim.send("POST", `/Users/${user}`, {})).status, 405);
      assert.equal((await scim.send("DELETE", "/Schemas")).status, 405);
      for (const path of ["/Nobody", "/Users/x/y", "", "/Schemas/none", "/ResourceTypes/None"]) {
        const { status, body } = await scim.get(path);
        assert.deepEqual([status, body.status], [404, "404"], path);
      }
      assert.equal((await scim.get("/Users/%zz")).status, 400);
      for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
        const body = method === "GET" || method === "DELETE" ? undefined : {};
        const answer = await scim.send(method, "/Users/a%00b", body);
        assert.deepEqual([answer.status, answer.body.scimType], [400, "invalidPath"], method);
      }
    });
  });

  test("the discovery endpoints describe the service", async () => {
    const { scim } = made;
    const config = (await scim.get("/ServiceProviderConfig")).body;
    assert.equal(config.patch.supported && config.filter.supported && config.etag.supported, true);
    assert.equal(config.bulk.supported || config.sort.supported, false);
    const types = (await scim.get("/ResourceTypes")).body;
    assert.deepEqual(
      types.Resources.map((one: { endpoint: string }) => one.endpoint),
      ["/Users", "/Groups"],
    );
    assert.equal((await scim.get("/ResourceTypes/User")).body.name, "User");
    const schemas = (await scim.get("/Schemas")).body;
    assert.equal(schemas.totalResults, 3);
    for (const { id, attributes } of schemas.Resources) {
      const one = await scim.get(`/Schemas/${id}`);
      assert.deepEqual(one.body.attributes, attributes);
    }
  });

  test("every write leaves an audit row, and no read does", async () => {
    const { provider, scim } = await provisioning(world);
    const { body } = await scim.post("/Users", { userName: "watched", title: "secretive" });
    await scim.get("/Users");
    await scim.patch(`/Users/${body.id}`, { op: "replace", path: "active", value: false });
    await scim.put(`/Users/${body.id}`, { userName: 7 });
    await scim.delete(`/Users/${body.id}`);
    const rows = await rawRows<{ method: string; detail: string; actor: string }>(
      world.server,
      `SELECT method, detail, actor FROM audit WHERE resource = '${provider}' AND method LIKE 'scim%' ORDER BY id`,
    );
    const user = body.id;
    assert.deepEqual(
      rows.map(({ method, detail }) => [method, JSON.parse(detail)]),
      [
        ["scim.v2/CreateUser", { user, active: true }],
        ["scim.v2/UpdateUser", { user, active: false }],
        ["scim.v2/DeleteUser", { user }],
      ],
    );
    for (const { actor } of rows) assert.equal(actor, provider);
    assert.ok(!world.server.log.includes("secretive"));
    assert.ok(!world.server.log.includes(scim.token));
  });
});

onStore(
  "sqlite",
  "an identity provider that writes too fast",
  (world) => {
    test("gets Retry-After, and can read meanwhile", async () => {
      const { scim } = await provisioning(world);
      const statuses: number[] = [];
      let last: Awaited<ReturnType<ScimClient["post"]>> | undefined;
      for (let at = 0; at < 7; at++) {
        last = await scim.post("/Users", { userName: `user ${at}` });
        statuses.push(last.status);
      }
      assert.deepEqual(statuses.slice(0, 5), [201, 201, 201, 201, 201]);
      assert.deepEqual([last?.status, last?.body.status], [429, "429"]);
      const wait = Number(last?.headers.get("retry-after"));
      assert.ok(wait >= 1 && wait <= 12, String(wait));
      assert.equal((await scim.get("/Users")).status, 200);
      const other = await provisioning(world);
      assert.equal((await other.scim.post("/Users", { userName: "x" })).status, 201);
    });
  },
  { flags: ["--scim-writes-per-minute", "5"] },
);
