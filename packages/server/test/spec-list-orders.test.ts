import assert from "node:assert/strict";
import { before } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { inParallel, listAll, uidsOf } from "./support/client/pagination.ts";
import { storeGroups } from "./support/world/stored-groups.ts";
import { onEachStore, type World } from "./support/world/world.ts";

/** Names in the order of their bytes, some of them several times. */
const NAMES = ["0", "10", "2", "a", "a b", "a-b", "a.b", "a_b", "ab", "b", "z"];

interface Row {
  readonly uid: string;
  readonly name: string;
  readonly createTime: string;
  readonly updateTime: string;
}

const KEYS: Readonly<Record<string, (row: Row) => string>> = {
  uid: (row) => row.uid,
  name: (row) => row.name,
  created_at: (row) => row.createTime,
  updated_at: (row) => row.updateTime,
};

type KeyOf = (row: Row) => string;

/** Compares rows by a key. */
function compareBy(keyOf: KeyOf, descending: boolean): (a: Row, b: Row) => number {
  return (a, b) => {
    const [left, right] = descending ? [keyOf(b), keyOf(a)] : [keyOf(a), keyOf(b)];
    return left === right ? 0 : left < right ? -1 : 1;
  };
}

/** Other names of these. */
const ALIASES = {
  create_time: "created_at",
  createTime: "created_at",
  update_time: "updated_at",
  updateTime: "updated_at",
};

const EQUAL_ROWS = 1_000;

onEachStore("orders of lists", ordersOfLists);

function ordersOfLists(world: World): void {
  /** Two levels of groups, made and changed at mixed times; only read by the tests. */
  let org: string;
  before(async () => {
    org = await world.organization();
    const tops = await inParallel([...NAMES, ...NAMES], (name) => world.group(org, name));
    await inParallel(tops.slice(0, 11), (top, at) => world.group(top, NAMES[10 - at]));
    const { groups } = world.operator();
    await inParallel(tops.slice(4, 9), (uid) => groups.update(uid, { description: "changed" }));
  });

  const walked = async (api: ApiClient, uidp: object, orderBy: string, pageSize: number) =>
    (await listAll(api.groups, "groups", { uidp, orderBy, pageSize })).items as Row[];

  for (const [key, keyOf] of Object.entries(KEYS)) {
    world.rule(`pages ordered by ${key} are in order, each row once, both ways`, async (api) => {
      for (const uidp of [{ descendantsOf: org }, { childrenOf: org }]) {
        const all = uidsOf((await api.groups.list({ uidp, pageSize: 200 })).groups);
        const ascending = await walked(api, uidp, key, 6);
        assert.deepEqual(uidsOf(ascending).sort(), all);
        assertSorted(ascending.map(keyOf), key);
        const descending = await walked(api, uidp, `${key} desc`, 7);
        assert.deepEqual(uidsOf(descending), uidsOf(ascending).reverse());
        const spelled = await walked(api, uidp, ` ${key}  asc `, 200);
        assert.deepEqual(uidsOf(spelled), uidsOf(ascending));
      }
    });

    world.rule(`skip returns the same rows as pages ordered by ${key}`, async (api) => {
      for (const uidp of [{ descendantsOf: org }, { childrenOf: org }]) {
        const inOrder = uidsOf(await walked(api, uidp, key, 200));
        for (const skip of [1, 9, inOrder.length - 1]) {
          const page = await api.groups.list({ uidp, orderBy: key, skip, pageSize: 3 });
          assert.deepEqual(uidsOf(page.groups), inOrder.slice(skip, skip + 3));
        }
      }
    });
  }

  world.rule("times can be ordered by under their field names", async (api) => {
    for (const [alias, key] of Object.entries(ALIASES)) {
      for (const direction of ["", " desc"]) {
        const first = await api.groups.list({ orderBy: `${key}${direction}`, pageSize: 3 });
        const { nextPageToken: pageToken } = first;
        const next = { pageToken, pageSize: 3 };
        const wanted = await api.groups.list({ ...next, orderBy: `${key}${direction}` });
        const found = await api.groups.list({ ...next, orderBy: `${alias}${direction}` });
        assert.deepEqual(uidsOf(found.groups), uidsOf(wanted.groups), alias);
      }
    }
  });

  world.rule("rows of several grants are merged in one order", async (api) => {
    const { groups: tops } = await api.groups.list({ uidp: { childrenOf: org }, pageSize: 200 });
    const seen: string[] = uidsOf(tops.slice(0, 6));
    const viewer = await world.member(Object.fromEntries(seen.map((uid) => [uid, "viewer"])));
    const theirs = api.as(viewer.token);
    for (const [key, keyOf] of Object.entries(KEYS)) {
      const rows = await walked(theirs, {}, key, 3);
      assert.deepEqual(
        uidsOf(rows.filter((row) => row.uid.length === seen[0]?.length)).sort(),
        [...seen].sort(),
      );
      assertSorted(rows.map(keyOf), key);
      const page = await theirs.groups.list({ orderBy: key, skip: 3, pageSize: 2 });
      assert.deepEqual(uidsOf(page.groups), uidsOf(rows).slice(3, 5));
      assert.equal(page.totalCount, String(rows.length));
      const back = await walked(theirs, {}, `${key} desc`, 5);
      assert.deepEqual(uidsOf(back), uidsOf(rows).reverse());
    }
  });

  world.rule("several keys are one order, over pages, skips and grants", async (api) => {
    const { groups: tops } = await api.groups.list({ uidp: { childrenOf: org }, pageSize: 200 });
    const bound = Object.fromEntries(uidsOf(tops.slice(0, 9)).map((uid) => [uid, "viewer"]));
    const theirs = api.as((await world.member(bound)).token);
    const byName = compareBy(KEYS.name as KeyOf, false);
    const orders = [
      ["name, created_at desc", [byName, compareBy(KEYS.created_at as KeyOf, true)]],
      ["name DESC,uid", [compareBy(KEYS.name as KeyOf, true), compareBy(KEYS.uid as KeyOf, false)]],
      ["name, updated_at DESC, uid desc", [byName, compareBy(KEYS.updated_at as KeyOf, true)]],
    ] as const;
    const lists = [
      [api, { descendantsOf: org }],
      [api, { childrenOf: org }],
      [theirs, {}],
    ] as const;
    for (const [which, [orderBy, compare]] of orders.entries()) {
      for (const [whose, [caller, uidp]] of lists.entries()) {
        const rows = await walked(caller, uidp, orderBy, 200);
        assert.deepEqual(uidsOf(rows).sort(), uidsOf(await walked(caller, uidp, "uid", 200)));
        for (const [at, row] of rows.entries()) {
          const before = rows[at - 1];
          if (before === undefined) continue;
          const [first = 0] = compare.map((one) => one(before, row)).filter((one) => one !== 0);
          assert.ok(first <= 0, `${orderBy}: ${JSON.stringify([before, row])}`);
        }
        // Each page size with each order, and with each list.
        const pageSize = [1, 3, 7][(which + whose) % 3] as number;
        assert.deepEqual(uidsOf(await walked(caller, uidp, orderBy, pageSize)), uidsOf(rows));
        for (const skip of [1, 2, 9, rows.length - 1, rows.length]) {
          const page = await caller.groups.list({ uidp, orderBy, skip, pageSize: 3 });
          assert.deepEqual(uidsOf(page.groups), uidsOf(rows).slice(skip, skip + 3), `${skip}`);
          if (page.nextPageToken === "") continue;
          const next = { uidp, orderBy, pageToken: page.nextPageToken, skip: 2, pageSize: 4 };
          const later = await caller.groups.list(next);
          assert.deepEqual(uidsOf(later.groups), uidsOf(rows).slice(skip + 5, skip + 9));
        }
      }
    }
    const { nextPageToken: pageToken } = await api.groups.list({ orderBy: "name", pageSize: 1 });
    const foreign = api.groups.list({ orderBy: "name, uid", pageSize: 1, pageToken });
    assert.equal((await rejected(foreign)).code, 3);
  });

  world.rule(
    "a page in an order of several keys continues after a row that is gone",
    async (api) => {
      const group = await world.organization();
      await inParallel([1, 2, 3, 4, 5], () => world.group(group, "same"));
      const request = { uidp: { childrenOf: group }, orderBy: "name, uid desc", pageSize: 2 };
      const all = uidsOf((await api.groups.list({ ...request, pageSize: 9 })).groups);
      const first = await api.groups.list(request);
      await api.groups.delete(all[1] as string);
      const { nextPageToken: pageToken } = first;
      const second = await api.groups.list({ ...request, pageToken });
      assert.deepEqual(uidsOf([...first.groups, ...second.groups]), all.slice(0, 4));
    },
  );

  world.rule("an order of several keys sorts many equal rows", async (api) => {
    const many = await world.organization();
    const names = new Array<string>(EQUAL_ROWS).fill("same");
    const uids = (await storeGroups(world.server, many, names)).sort();
    const request = { orderBy: "created_at desc, uid", pageSize: 3 };
    const skip = EQUAL_ROWS - 10;
    const deep = { ...request, uidp: { childrenOf: many }, skip };
    assert.deepEqual(uidsOf((await api.groups.list(deep)).groups), uids.slice(skip, skip + 3));
  });

  world.rule("the default order is by uid", async (api) => {
    const { groups } = await api.groups.list({ uidp: { descendantsOf: org }, pageSize: 200 });
    assertSorted(uidsOf(groups), "uid");
  });

  world.rule("names sort by their bytes, the same on every store", async (api) => {
    const rows = await walked(api, { childrenOf: org }, "name", 200);
    assert.deepEqual(
      rows.map((row) => row.name),
      NAMES.flatMap((name) => [name, name]),
    );
  });

  world.rule("other orders are rejected", async (api) => {
    for (const orderBy of [
      "color",
      "name down",
      "name desc uid",
      "NAME",
      "name,",
      "name,color",
      "__proto__",
    ]) {
      const refusal = await rejected(api.groups.list({ orderBy }));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, ["orderBy"]], orderBy);
    }
  });

  world.rule("resources without a name cannot be ordered by name", async (api) => {
    const { fields } = await rejected(api.roleBindings.list({ orderBy: "name" }));
    assert.deepEqual(Object.keys(fields), ["orderBy"]);
    const { roleBindings } = await api.roleBindings.list({ orderBy: "created_at desc" });
    assertSorted(roleBindings.map((row: Row) => row.createTime).reverse(), "created_at");
  });

  world.rule("identities and roles are ordered in the same way", async (api) => {
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
    const home = await world.organization();
    for (const name of ["c", "a", "b"]) {
      await api.identities.create(home, { name, claimMatch });
      await api.roles.create(home, { name, capabilities: ["CAP_TAG_LIST"] });
    }
    const request = { uidp: { childrenOf: home }, orderBy: "name desc", pageSize: 2 };
    for (const key of ["identities", "roles"] as const) {
      const { items } = await listAll(api[key], key, request);
      assert.deepEqual(
        items.map((row) => row.name),
        ["c", "b", "a"],
      );
      const made = await listAll(api[key], key, { ...request, orderBy: "created_at" });
      assertSorted(
        made.items.map((row) => row.createTime),
        "created_at",
      );
    }
  });
}

function assertSorted(values: readonly string[], what: string): void {
  for (const [at, value] of values.entries()) {
    assert.ok(at === 0 || (values[at - 1] as string) <= value, `${what} at ${at}: ${value}`);
  }
}
