import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { literalIdentityUid } from "@wharf/contract";
import { findProvisionedUser, provisionedGroupsOf } from "../src/auth/provisioning.ts";
import { recordSignIn } from "../src/store/tables/login/provider-people.ts";
import { addSession, findSession } from "../src/store/tables/login/sessions.ts";
import { type Provisioning, provisioning } from "./support/providers/scim.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const ISSUER = "https://login.example.com";

onEachStore("provisioning and sessions", (world) => {
  let direct: DirectStore;
  let made: Provisioning;
  let sessions = 0;
  before(async () => {
    direct = await DirectStore.open(world.server);
    made = await provisioning(world);
  });
  after(() => direct.close());

  /** A session of a person whom a provider calls this, as a login leaves it. */
  const login = async (externalId: string, provider = made.provider) => {
    const id = `session-${sessions++}`;
    const identity = literalIdentityUid(ISSUER, `sub of ${externalId}`);
    const now = Date.now();
    await direct.store.write(async (tx) => {
      await recordSignIn(tx, provider, identity, externalId);
      await addSession(tx, {
        id,
        identity,
        provider,
        created: now,
        used: now,
        expires: now + 3_600_000,
        generation: 0,
        mappings: "[]",
        person: "{}",
        remoteAddress: "",
        userAgent: "",
      });
    });
    return id;
  };
  const lives = async (session: string) =>
    (await findSession(direct.store.reader, session)) !== undefined;
  const user = async (externalId: string, more: object = {}) => {
    const body = { userName: world.name("user"), externalId, ...more };
    const created = await made.scim.post("/Users", body);
    assert.equal(created.status, 201);
    return { id: created.body.id as string, ...body };
  };

  test("deactivating a user ends their sessions only", async () => {
    const { id } = await user("leaver");
    await user("stayer");
    const other = await provisioning(world);
    const [mine, twice, theirs, elsewhere] = [
      await login("leaver"),
      await login("leaver"),
      await login("stayer"),
      await login("leaver", other.provider),
    ];
    const version = await direct.store.accessVersion();
    await made.scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: "False" });
    assert.deepEqual([await lives(mine), await lives(twice)], [false, false]);
    assert.deepEqual([await lives(theirs), await lives(elsewhere)], [true, true]);
    assert.ok((await direct.store.accessVersion()) > version, "tokens are checked again");
  });

  test("so do a PUT, deleting, and creating inactive", async () => {
    const put = await user("put");
    const deleted = await user("deleted");
    const held = [await login("put"), await login("deleted"), await login("late")];
    await made.scim.put(`/Users/${put.id}`, { ...put, active: false });
    await made.scim.delete(`/Users/${deleted.id}`);
    await user("late", { active: false });
    assert.deepEqual(await Promise.all(held.map(lives)), [false, false, false]);
  });

  test("changing the subject of a user ends the sessions of the former subject", async () => {
    const { id } = await user("before");
    const [old, now] = [await login("before"), await login("now")];
    await made.scim.patch(`/Users/${id}`, { op: "replace", path: "externalId", value: "now" });
    assert.deepEqual([await lives(old), await lives(now)], [false, true]);
    await made.scim.patch(`/Users/${id}`, { op: "remove", path: "externalId" });
    assert.equal(await lives(now), false);
  });

  test("other and rejected changes end no session", async () => {
    const { id } = await user("steady");
    const session = await login("steady");
    await made.scim.patch(`/Users/${id}`, { op: "add", path: "title", value: "Engineer" });
    const bad = { op: "replace", path: "userName", value: 5 };
    const off = { op: "replace", path: "active", value: false };
    assert.equal((await made.scim.patch(`/Users/${id}`, off, bad)).status, 400);
    assert.equal(await lives(session), true);
  });

  test("users are not found by e-mail address", async () => {
    const emails = [{ value: "shared@example.com", primary: true }];
    const { id } = await user("with-mail", { emails, userName: "shared@example.com" });
    const session = await login("shared@example.com");
    const { reader } = direct.store;
    assert.equal(await findProvisionedUser(reader, made.provider, "shared@example.com"), undefined);
    assert.equal(await findProvisionedUser(reader, made.provider, ""), undefined);
    assert.equal(await findProvisionedUser(reader, made.provider, "WITH-MAIL"), undefined);
    await made.scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    assert.equal(await lives(session), true, "the one with that address is someone else");
    assert.deepEqual(await findProvisionedUser(reader, made.provider, "with-mail"), {
      id,
      userName: "shared@example.com",
      active: false,
    });
    const other = await provisioning(world);
    assert.equal(await findProvisionedUser(reader, other.provider, "with-mail"), undefined);
  });

  test("a sign-in finds the groups of the user", async () => {
    const { id } = await user("grouped");
    const members = [{ value: id }];
    await made.scim.post("/Groups", { displayName: "One", externalId: "g1", members });
    await made.scim.post("/Groups", { displayName: "Two", members });
    await made.scim.post("/Groups", { displayName: "Three", externalId: "g3" });
    assert.deepEqual(await provisionedGroupsOf(direct.store.reader, made.provider, id), [
      { externalId: "g1", displayName: "One" },
      { externalId: "", displayName: "Two" },
    ]);
  });

  test("deleting an identity provider deletes its users", async () => {
    const { provider, scim } = await provisioning(world);
    const { body } = await scim.post("/Users", { userName: "x" });
    await scim.post("/Groups", { displayName: "g", members: [{ value: body.id }] });
    await world.operator().identityProviders.delete(provider);
    assert.equal((await scim.get("/Users")).status, 401);
    for (const table of ["scim_users", "scim_groups", "scim_members"]) {
      const sql = `SELECT provider FROM ${table} WHERE provider = '${provider}'`;
      assert.deepEqual(await rawRows(world.server, sql), []);
    }
  });
});
