import assert from "node:assert/strict";
import { before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  GroupSchema,
  newChildUid,
  newRootUid,
  OrgStatus,
  RepoSchema,
  RoleBindingSchema,
} from "@wharf/contract";
import { groups } from "../src/iam/groups.ts";
import { roleBindings } from "../src/iam/role-bindings.ts";
import { repos } from "../src/registry/repos/definition.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { type Member, onEachStore, roleNamed, type World } from "./support/world/world.ts";

/** More scopes than lists of these servers read without taking turns. */
const SCOPES = 48;
const LIMITS = { manyRanges: 30 };
/** Few names and times, so that order among equals matters. */
const NAMES = ["amber", "birch", "cedar", "dune"];
const OWNER = roleNamed("owner");

interface Row {
  readonly uid: string;
  readonly name: string;
  readonly created: number;
  readonly updated: number;
  /** Its number among all rows, which parts equals. */
  readonly id: number;
}

const ORDERS = ["uid", "name", "created_at", "updated_at"] as const;
const KEYS = { uid: "uid", name: "name", created_at: "created", updated_at: "updated" } as const;

onEachStore("lists of a caller with many scopes", manyScopes, { limits: LIMITS });

function manyScopes(world: World): void {
  let member: Member;
  let api: ApiClient;
  const rows: Row[] = [];
  const bound: string[] = [];

  before(async () => {
    member = await world.member();
    api = world.operator().as(member.token);
    const direct = await DirectStore.open(world.server);
    const roots = [newRootUid(), newRootUid(), newRootUid()];
    let made = 0;
    await direct.store.write(async (tx) => {
      const insert = async (uid: string, isSeen: boolean) => {
        const id = made++;
        const name = NAMES[(id * 7) % NAMES.length] as string;
        const [created, updated] = [1_000 + ((id * 13) % 9), 2_000 + ((id * 5) % 11)];
        const times = {
          createTime: timestampFromMs(created),
          updateTime: timestampFromMs(updated),
        };
        const group = { uid, name, status: OrgStatus.READY, ...times };
        await groups.table.insert(tx, groups.toRow(create(GroupSchema, group)));
        if (isSeen) rows.push({ uid, name, created, updated, id });
      };
      for (const root of roots) await insert(root, false);
      for (let at = 0; at < SCOPES; at++) {
        const scope = newChildUid(roots[at % roots.length] as string);
        const isBound = at % 8 !== 0;
        await insert(scope, isBound);
        for (let child = 0; child < at % 12; child++) await insert(newChildUid(scope), isBound);
        if (!isBound) continue;
        bound.push(scope);
        const uid = newChildUid(scope);
        const binding = { uid, identityUid: member.uid, roleUid: OWNER };
        const row = roleBindings.toRow(create(RoleBindingSchema, binding));
        await roleBindings.table.insert(tx, row);
        if (at % 16 !== 1) continue;
        const repo = create(RepoSchema, { uid: newChildUid(scope), name: `repo-${at}` });
        await repos.table.insert(tx, repos.toRow(repo));
      }
    });
    await direct.close();
    assert.ok(bound.length > LIMITS.manyRanges);
  });

  const sorted = (order: (typeof ORDERS)[number], descending: boolean): string[] => {
    const key = KEYS[order];
    const sign = descending ? -1 : 1;
    const compare = (a: Row, b: Row) =>
      a[key] === b[key] ? a.id - b.id : a[key] < b[key] ? -1 : 1;
    return rows.toSorted((a, b) => sign * compare(a, b)).map(({ uid }) => uid);
  };

  for (const order of ORDERS) {
    for (const descending of [false, true]) {
      const orderBy = `${order}${descending ? " desc" : ""}`;
      test(`every page is the right one, by ${orderBy}`, async () => {
        const expected = sorted(order, descending);
        const total = String(expected.length);
        for (const skip of [0, 1, 7, 120, expected.length - 3, expected.length]) {
          const page = await api.groups.list({ orderBy, skip, pageSize: 5 });
          const uids = page.groups.map(({ uid }: Row) => uid);
          assert.deepEqual(uids, expected.slice(skip, skip + 5), `skip ${skip}`);
          assert.equal(page.totalCount, total);
          assert.equal(page.nextPageToken !== "", skip + 5 < expected.length);
        }
        const walked: string[] = [];
        let pageToken = "";
        do {
          const page = await api.groups.list({ orderBy, pageSize: 60, pageToken });
          walked.push(...page.groups.map(({ uid }: Row) => uid));
          pageToken = page.nextPageToken;
        } while (pageToken !== "");
        assert.deepEqual(walked, expected);
      });
    }
  }

  test("a cursor and a skip add up", async () => {
    for (const orderBy of ["uid", "name desc"]) {
      const expected = sorted(orderBy === "uid" ? "uid" : "name", orderBy !== "uid");
      const first = await api.groups.list({ orderBy, pageSize: 10 });
      const request = { orderBy, pageSize: 10, pageToken: first.nextPageToken, skip: 90 };
      const uids = (await api.groups.list(request)).groups.map(({ uid }: Row) => uid);
      assert.deepEqual(uids, expected.slice(100, 110));
    }
  });

  test("scopes without rows, with few rows, and filters are exact", async () => {
    const found = await api.repos.list({ pageSize: 200 });
    assert.deepEqual([found.repos.length, found.totalCount], [3, "3"]);
    assert.equal((await api.identityProviders.list()).totalCount, "0");
    const mine = await api.roleBindings.list({ identity: member.uid, pageSize: 200 });
    assert.deepEqual(
      [mine.totalCount, mine.roleBindings.length],
      [String(bound.length), bound.length],
    );
    for (const orderBy of ["uid", "name", "updated_at desc"]) {
      const begins = await api.groups.list({ namePrefix: "ce", pageSize: 200, orderBy });
      const expected = rows.filter(({ name }) => name.startsWith("ce")).map(({ uid }) => uid);
      const found = begins.groups.map(({ uid }: Row) => uid);
      assert.deepEqual(found.sort(), expected.sort());
      assert.equal(begins.totalCount, String(expected.length));
    }
    const named = await api.groups.list({ name: "cedar", pageSize: 200, orderBy: "uid" });
    const cedars = rows.filter(({ name }) => name === "cedar").map(({ uid }) => uid);
    assert.deepEqual(
      named.groups.map(({ uid }: Row) => uid),
      cedars.slice().sort(),
    );
    assert.equal(named.totalCount, String(cedars.length));
  });

  test("a parent name resolves if it is unique within the scopes", async () => {
    const [scope] = bound as [string];
    const { uid: parent } = await world.operator().groups.create(scope, { name: "only-one" });
    await world.organization("only-one");
    const { uid } = await api.groups.create("only-one", { name: "child" });
    assert.ok(uid.startsWith(`${parent}/`));
    const { fields } = await rejected(api.groups.create("cedar", { name: "x" }));
    assert.deepEqual(Object.keys(fields), ["parent"], "several groups have this name");
    assert.equal((await rejected(api.groups.create("no-such", { name: "x" }))).code, 5);
    for (const one of [uid, parent]) await world.operator().groups.delete(one);
  });

  test("the caller gets its capabilities at each scope", async () => {
    const rest = new Http(world.server.url, member.token);
    const { status, body } = await rest.get("/auth/v1/ok");
    assert.equal(status, 200);
    const shown = body.capabilities.map((one: { group: { id: string }; role: { id: string } }) => {
      assert.equal(one.role.id, OWNER);
      return one.group.id;
    });
    assert.deepEqual(shown.sort(), bound.toSorted());
  });

  test("a list after a change shows it", async () => {
    const [scope] = bound as [string];
    const { uid } = await world.operator().groups.create(scope, { name: "zeta" });
    const last = await api.groups.list({ orderBy: "name desc", pageSize: 1 });
    assert.equal(last.groups[0].uid, uid);
    assert.equal(last.totalCount, String(rows.length + 1));
    await world.operator().groups.delete(uid);
    const skip = rows.length - 1;
    const page = await api.groups.list({ orderBy: "name", pageSize: 5, skip });
    assert.deepEqual(
      page.groups.map((one: Row) => one.uid),
      sorted("name", false).slice(skip),
    );
  });
}
