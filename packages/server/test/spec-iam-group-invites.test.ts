import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { filesBelow } from "./support/server/files-below.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const HOUR = 3_600_000;

onEachStore("group invites", (world) => {
  let org: string;
  let team: string;
  const viewer = roleNamed("viewer");
  const given = (more: object = {}) => ({ roleUid: viewer, ttl: "3600s", ...more });
  const uids = (page: { groupInvites: { uid: string }[] }) =>
    page.groupInvites.map(({ uid }) => uid);
  /** The capabilities to invite into a role that can do little. */
  const INVITER = [
    "group_invites.create",
    "group_invites.list",
    "role_bindings.create",
    "groups.list",
  ];
  before(async () => {
    org = await world.organization();
    team = await world.group(org);
  });

  world.rule("the response to Create has the code, once", async (api) => {
    const from = Date.now();
    const created = await api.groupInvites.create(team, given({ email: "ada@acme.example" }));
    const until = Date.now();
    const { uid, code, keyId, createTime, updateTime, expirationTime, role, ...rest } = created;
    assert.match(uid, new RegExp(`^${team}/[0-9a-f]{16}$`));
    assert.deepEqual(rest, { roleUid: viewer, email: "ada@acme.example", singleUse: false });
    assert.equal(JSON.parse(Buffer.from(code, "base64").toString("utf8")).grp, team);
    assert.match(keyId, /^\S{16,}$/);
    assert.ok(!code.includes(keyId) && !keyId.includes(code));
    assert.equal(createTime, updateTime);
    const ends = Date.parse(expirationTime) - HOUR;
    assert.ok(ends >= from && ends <= until, expirationTime);
    const builtin = builtinRole("viewer");
    assert.deepEqual([role.uid, role.name], [viewer, "viewer"]);
    assert.equal(role.capabilities.length, builtin?.capabilities.length);
    const got = await api.groupInvites.get(uid);
    const { code: shown = "", ...others } = got;
    assert.equal(shown, "");
    const { code: _, ...expected } = created;
    assert.deepEqual(others, expected);
    const listed = await api.groupInvites.list({ uidp: { childrenOf: team }, keyId });
    assert.deepEqual(listed.groupInvites, [got]);
    assert.equal(listed.totalCount, "1");
  });

  world.rule("lists are newest first, and filtered by key", async (api) => {
    const group = await world.group(org);
    const made = [];
    for (let at = 0; at < 3; at++) made.push(await api.groupInvites.create(group, given()));
    const [a, b, c] = made;
    const uidp = { childrenOf: group };
    const times = (await api.groupInvites.list({ uidp })).groupInvites.map(
      (one: { createTime: string }) => Date.parse(one.createTime),
    );
    assert.deepEqual(
      times,
      times.toSorted((x: number, y: number) => y - x),
    );
    const oldest = await api.groupInvites.list({ uidp, orderBy: "created_at" });
    assert.deepEqual(new Set(uids(oldest)), new Set([a.uid, b.uid, c.uid]));
    assert.equal(uids(oldest)[0], a.uid);
    const page = await api.groupInvites.list({ uidp, pageSize: 2 });
    const rest = await api.groupInvites.list({ uidp, pageSize: 2, pageToken: page.nextPageToken });
    assert.deepEqual(new Set([...uids(page), ...uids(rest)]), new Set(uids(oldest)));
    assert.deepEqual(uids(await api.groupInvites.list({ keyId: b.keyId })), [b.uid]);
    assert.deepEqual(uids(await api.groupInvites.list({ keyId: "unknown" })), []);
    assert.deepEqual(uids(await api.groupInvites.list({ uidp, skip: 3 })), []);
    assert.deepEqual(await api.groupInvites.delete(b.uid), {});
    assert.equal((await rejected(api.groupInvites.get(b.uid))).code, 5);
  });

  world.rule("invalid invites are rejected, and nothing is created", async (api) => {
    const group = await world.group(org);
    const { create } = api.groupInvites;
    for (const [body, field] of [
      [{ ttl: "3600s" }, "roleUid"],
      [{ roleUid: viewer }, "ttl"],
      [given({ ttl: "0s" }), "ttl"],
      [given({ ttl: "0.5s" }), "ttl"],
      [given({ ttl: "-60s" }), "ttl"],
      [given({ ttl: `${366 * 86_400}s` }), "ttl"],
      [given({ email: "nobody" }), "email"],
      [given({ email: "a b@acme.example" }), "email"],
      [given({ email: "a@b@acme.example" }), "email"],
      [given({ roleUid: "nonsense" }), "roleUid"],
    ] as const) {
      const refusal = await rejected(create(group, body));
      assert.equal(refusal.code, 3, JSON.stringify(body));
      assert.deepEqual(Object.keys(refusal.fields), [field], JSON.stringify(refusal.fields));
    }
    const unknown = `${org}/0123456789abcdef`;
    const noRole = await rejected(create(group, given({ roleUid: unknown })));
    assert.deepEqual([noRole.code, noRole.missing], [5, `Role ${unknown}`]);
    const below = await world.role(await world.group(group), ["groups.list"]);
    const unusable = await rejected(create(group, given({ roleUid: below })));
    assert.deepEqual([unusable.code, unusable.missing], [5, `Role ${below}`]);
    const noGroup = await rejected(create(unknown, given()));
    assert.deepEqual([noGroup.code, noGroup.missing], [5, `Group ${unknown}`]);
    assert.equal((await api.groupInvites.list({ uidp: { childrenOf: group } })).totalCount, "0");
    for (const ttl of ["1s", `${365 * 86_400}s`]) await create(group, given({ ttl }));
  });

  world.rule("an update changes role, address or expiry, and keeps the code", async (api) => {
    const group = await world.group(org);
    const made = await api.groupInvites.create(group, given());
    const editor = roleNamed("editor");
    const role = await api.groupInvites.update(made.uid, { roleUid: editor }, ["role_uid"]);
    assert.deepEqual([role.roleUid, role.role.name, role.code ?? ""], [editor, "editor", ""]);
    assert.deepEqual([role.keyId, role.expirationTime], [made.keyId, made.expirationTime]);
    const email = await api.groupInvites.update(made.uid, { email: "b@acme.example" }, ["email"]);
    assert.deepEqual([email.email, email.roleUid], ["b@acme.example", editor]);
    const ends = await api.groupInvites.update(made.uid, { ttl: "7200s" }, ["ttl"]);
    assert.ok(Date.parse(ends.expirationTime) > Date.parse(made.expirationTime) + HOUR / 2);
    assert.equal(ends.email, "b@acme.example");
    for (const [change, field] of [
      [{ ttl: "0s" }, "ttl"],
      [{ email: "nobody" }, "email"],
      [{ singleUse: true }, "singleUse"],
    ] as const) {
      const refusal = await rejected(api.groupInvites.update(made.uid, change, [field]));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, [field]]);
    }
    assert.deepEqual(await api.groupInvites.get(made.uid), ends);
  });

  world.rule("invites of a deleted role show no role and cannot be accepted", async (api) => {
    const roleUid = await world.role(org, ["groups.list"]);
    const made = await api.groupInvites.create(team, given({ roleUid }));
    await api.roles.delete(roleUid);
    const { role, ...rest } = await api.groupInvites.get(made.uid);
    assert.deepEqual([role, rest.roleUid], [undefined, roleUid]);
    const page = await fetch(`${api.url}/oauth?invite=${made.code}`);
    assert.equal(page.status, 403);
  });

  world.rule("inviting requires holding the role", async (api) => {
    const group = await world.group(org);
    const { token } = await world.member({ [group]: INVITER });
    const inviter: ApiClient = api.as(token);
    const small = await world.role(org, ["groups.list"]);
    const made = await inviter.groupInvites.create(group, given({ roleUid: small }));
    const refusals = [
      await rejected(inviter.groupInvites.create(group, given())),
      await rejected(inviter.groupInvites.create(group, given({ roleUid: roleNamed("owner") }))),
      await rejected(inviter.groupInvites.update(made.uid, { roleUid: viewer }, ["role_uid"])),
    ];
    for (const refusal of refusals) {
      assert.equal(refusal.code, 7);
      assert.ok(refusal.needs.endsWith(` at ${group}`), refusal.needs);
    }
    const { code: _, ...before } = made;
    const { code: __ = "", ...after } = await inviter.groupInvites.get(made.uid);
    assert.deepEqual(after, before);
    assert.equal((await api.groupInvites.list({ uidp: { childrenOf: group } })).totalCount, "1");
    // An invite into more than they hold is not theirs to prolong or to send elsewhere, either.
    const large = await api.groupInvites.create(group, given());
    for (const [change, field] of [
      [{ ttl: "7200s" }, "ttl"],
      [{ email: "mallory@evil.example" }, "email"],
    ] as const)
      assert.equal(
        (await rejected(inviter.groupInvites.update(large.uid, change, [field]))).code,
        7,
      );
  });

  world.rule("each method requires its capabilities at the group", async (api) => {
    const [group, other] = [await world.group(org), await world.group(org)];
    const made = await api.groupInvites.create(group, given({ roleUid: viewer }));
    const foreign = await api.groupInvites.create(other, given());
    const all = [...INVITER, "group_invites.delete"];
    const without = async (name: string) =>
      api.as((await world.member({ [group]: all.filter((one) => one !== name) })).token);
    const small = await world.role(org, ["groups.list"]);
    const body = given({ roleUid: small });
    for (const [name, call] of [
      ["group_invites.create", (as: ApiClient) => as.groupInvites.create(group, body)],
      ["role_bindings.create", (as: ApiClient) => as.groupInvites.create(group, body)],
      ["group_invites.list", (as: ApiClient) => as.groupInvites.get(made.uid)],
      ["group_invites.delete", (as: ApiClient) => as.groupInvites.delete(made.uid)],
      [
        "role_bindings.create",
        (as: ApiClient) => as.groupInvites.update(made.uid, body, ["role_uid"]),
      ],
    ] as const) {
      const refusal = await rejected(call(await without(name)));
      assert.deepEqual([refusal.code, refusal.needs.includes(name)], [7, true], name);
    }
    const whole = await without("nothing");
    assert.deepEqual(uids(await whole.groupInvites.list()), [made.uid]);
    assert.equal((await rejected(whole.groupInvites.get(foreign.uid))).code, 7);
    assert.equal((await rejected(whole.groupInvites.delete(foreign.uid))).code, 7);
    assert.deepEqual(await whole.groupInvites.delete(made.uid), {});
    assert.equal((await rejected(api.as("").groupInvites.list())).code, 16);
  });

  test("the code is in the response only", async () => {
    const api = world.operator();
    const made = await api.groupInvites.create(team, given());
    await api.groupInvites.update(made.uid, { email: "x@acme.example" }, ["email"]);
    assert.equal((await fetch(`${api.url}/oauth?invite=${made.code}`)).status, 200);
    const { key } = JSON.parse(Buffer.from(made.code, "base64").toString("utf8"));
    const secrets = [made.code, key];
    for (const table of ["group_invites", "events", "audit", "tickets"]) {
      const rows = await rawRows<object>(world.server, `SELECT * FROM ${table}`);
      const text = rows.map((row) =>
        Object.values(row)
          .map((value) => Buffer.from(value instanceof Uint8Array ? value : String(value)))
          .join("\n"),
      );
      for (const secret of secrets) assert.ok(!text.join("\n").includes(secret), table);
    }
    for (const secret of secrets) assert.ok(!world.server.log.includes(secret), "the log");
    if (world.store !== "sqlite") return;
    for (const file of filesBelow(world.server.data)) {
      const bytes = readFileSync(file);
      for (const secret of secrets) assert.equal(bytes.includes(secret), false, file);
    }
  });

  test("each change leaves an event and an audit row", async () => {
    const api = world.operator();
    const { uid } = await api.groupInvites.create(team, given());
    await api.groupInvites.update(uid, { email: "x@acme.example" }, ["email"]);
    await api.groupInvites.delete(uid);
    const events = await rawRows<{ type: string; group_uid: string }>(
      world.server,
      `SELECT type, group_uid FROM events WHERE subject = '${uid}' ORDER BY type`,
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ["created", "deleted", "updated"].map((verb) => `iam.group_invite.${verb}.v1`),
    );
    assert.ok(events.every(({ group_uid: group }) => group === team));
    const [body] = await rawRows<{ body: string }>(
      world.server,
      `SELECT body FROM events WHERE subject = '${uid}' AND type = 'iam.group_invite.created.v1'`,
    );
    assert.deepEqual(Object.keys(JSON.parse(body?.body ?? "{}")), ["uid", "expirationTime"]);
    const sql = `SELECT resource FROM audit WHERE resource = '${uid}'`;
    assert.equal((await rawRows(world.server, sql)).length, 3);
  });
});
