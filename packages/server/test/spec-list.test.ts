import assert from "node:assert/strict";
import { before, test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { inParallel, listAll, uidsOf } from "./support/client/pagination.ts";
import { onEachStore } from "./support/world/world.ts";

/** More than the largest page, and no multiple of the sizes used. */
const MANY = 223;

onEachStore("lists, page by page", (world) => {
  /** An organization with many groups in it; only read by the tests. */
  let org: string;
  let below: { uidp: { childrenOf: string } };
  let uids: string[];
  before(async () => {
    org = await world.organization();
    below = { uidp: { childrenOf: org } };
    const numbers = Array.from({ length: MANY }, (_, at) => at);
    uids = (await inParallel(numbers, (at) => world.group(org, `group ${at % 10}`))).sort();
  });

  world.rule("a list has items, nextPageToken, total as a string, and skipped", async (api) => {
    const first = await api.groups.list({ ...below, pageSize: 2 });
    assert.deepEqual(Object.keys(first).sort(), [
      "groups",
      "nextPageToken",
      "skipped",
      "totalCount",
    ]);
    assert.deepEqual(uidsOf(first.groups), uids.slice(0, 2));
    assert.deepEqual(first.groups[0], await api.groups.get(uids[0] as string));
    assert.equal(first.totalCount, String(MANY));
    assert.equal(first.skipped, 0);
    assert.match(first.nextPageToken, /^[\w-]{40,}$/);
  });

  world.rule("a list of nothing has the same envelope", async (api) => {
    const empty = { groups: [], nextPageToken: "", totalCount: "0", skipped: 0 };
    const uidp = { childrenOf: await world.organization() };
    assert.deepEqual(await api.groups.list({ uidp }), empty);
    assert.deepEqual(await api.groups.list({ ...below, name: "no such name" }), empty);
  });

  world.rule("a page has 50 rows by default, and at most 200", async (api) => {
    const size = async (request: object) =>
      (await api.groups.list({ ...below, ...request })).groups.length;
    assert.equal(await size({}), 50);
    assert.equal(await size({ pageSize: 0 }), 50);
    assert.equal(await size({ pageSize: 1 }), 1);
    assert.equal(await size({ pageSize: 200 }), 200);
    assert.equal(await size({ pageSize: 201 }), 200);
    assert.equal(await size({ pageSize: 2_147_483_647 }), 200);
    const refusal = await rejected(api.groups.list({ pageSize: -1 }));
    assert.equal(refusal.code, 3);
    assert.deepEqual(Object.keys(refusal.fields), ["pageSize"]);
  });

  world.rule("each page continues after the last row of the one before", async (api) => {
    for (const pageSize of [1000, 200, 50, MANY]) {
      const { items, pages, totals } = await listAll(api.groups, "groups", { ...below, pageSize });
      assert.deepEqual(uidsOf(items), uids);
      assert.equal(pages, Math.ceil(MANY / Math.min(pageSize, 200)));
      assert.deepEqual(new Set(totals), new Set([String(MANY)]));
    }
  });

  world.rule("a last page that is full has no token", async (api) => {
    const parent = await world.organization();
    for (let n = 0; n < 4; n++) await world.group(parent);
    const request = { uidp: { childrenOf: parent }, pageSize: 2 };
    const first = await api.groups.list(request);
    const last = await api.groups.list({ ...request, pageToken: first.nextPageToken });
    assert.equal(last.groups.length, 2);
    assert.equal(last.nextPageToken, "");
    assert.equal((await api.groups.list({ ...request, pageSize: 4 })).nextPageToken, "");
  });

  world.rule("the page size may change between pages", async (api) => {
    const first = await api.groups.list({ ...below, pageSize: 3 });
    const second = await api.groups.list({ ...below, pageToken: first.nextPageToken, pageSize: 9 });
    assert.deepEqual(uidsOf(second.groups), uids.slice(3, 12));
  });

  world.rule("skip jumps to a page and is echoed", async (api) => {
    const jump = await api.groups.list({ ...below, skip: 10, pageSize: 5 });
    assert.deepEqual(uidsOf(jump.groups), uids.slice(10, 15));
    assert.equal(jump.skipped, 10);
    assert.equal(jump.totalCount, String(MANY));
    const far = await api.groups.list({ ...below, skip: 210, pageSize: 5 });
    assert.deepEqual(uidsOf(far.groups), uids.slice(210, 215));
    assert.equal(far.skipped, 210);
  });

  world.rule("skip counts from the cursor, and skipped adds up", async (api) => {
    const first = await api.groups.list({ ...below, skip: 10, pageSize: 5 });
    const next = await api.groups.list({
      ...below,
      pageToken: first.nextPageToken,
      skip: 7,
      pageSize: 5,
    });
    assert.deepEqual(uidsOf(next.groups), uids.slice(22, 27));
    assert.equal(next.skipped, 17);
    const last = await api.groups.list({ ...below, pageToken: next.nextPageToken, pageSize: 5 });
    assert.deepEqual(uidsOf(last.groups), uids.slice(27, 32));
    assert.equal(last.skipped, 17);
  });

  world.rule("skipping past the end returns no rows", async (api) => {
    for (const skip of [MANY, MANY + 1, 1_000_000, 2_147_483_647]) {
      const list = await api.groups.list({ ...below, skip });
      assert.deepEqual(list, {
        groups: [],
        nextPageToken: "",
        totalCount: String(MANY),
        skipped: skip,
      });
    }
    const { fields } = await rejected(api.groups.list({ skip: -1 }));
    assert.deepEqual(Object.keys(fields), ["skip"]);
  });

  world.rule("skipped saturates at the largest value", async (api) => {
    const first = await api.groups.list({ ...below, skip: 1, pageSize: 1 });
    const pageToken = first.nextPageToken;
    const list = await api.groups.list({ ...below, pageToken, skip: 2_147_483_647 });
    assert.deepEqual(list.groups, []);
    assert.equal(list.skipped, 2_147_483_647);
  });

  world.rule("a tampered page token is rejected", async (api) => {
    const { nextPageToken: token } = await api.groups.list({ ...below, pageSize: 1 });
    const flip = (at: number) =>
      token.slice(0, at) + (token.at(at) === "A" ? "B" : "A") + token.slice(at + 1);
    const bad = [flip(3), flip(30), flip(token.length - 4), token.slice(1), `${token}A`, "x", "2"];
    for (const pageToken of bad) {
      const refusal = await rejected(api.groups.list({ ...below, pageToken }));
      assert.equal(refusal.code, 3, pageToken);
      assert.deepEqual(Object.keys(refusal.fields), ["pageToken"]);
    }
  });

  world.rule("a page token of another query is rejected", async (api) => {
    const { nextPageToken: pageToken } = await api.groups.list({ ...below, pageSize: 1 });
    const others = [
      {},
      { uidp: { descendantsOf: org } },
      { ...below, name: "group 1" },
      { ...below, orderBy: "name" },
      { ...below, orderBy: "uid desc" },
    ];
    for (const other of others) {
      const { fields } = await rejected(api.groups.list({ ...other, pageToken }));
      assert.deepEqual(Object.keys(fields), ["pageToken"], JSON.stringify(other));
    }
    assert.equal((await rejected(api.identities.list({ ...below, pageToken }))).code, 3);
    // The order that holds anyway may be spelt out.
    const same = await api.groups.list({ ...below, orderBy: "uid asc", pageToken, pageSize: 1 });
    assert.deepEqual(uidsOf(same.groups), uids.slice(1, 2));
  });

  world.rule("an empty filter is the same query as none", async (api) => {
    const { nextPageToken: pageToken } = await api.groups.list({ pageSize: 1 });
    const empty = { uidp: { descendantsOf: "" } };
    const viaEmpty = await api.groups.list({ ...empty, pageSize: 3, pageToken });
    const viaNone = await api.groups.list({ pageSize: 3, pageToken });
    assert.deepEqual(viaEmpty.groups, viaNone.groups);
  });

  world.rule("a page token of another caller shows only what this one can see", async (api) => {
    const mine = [uids[0], uids[100], uids[200]] as string[];
    const viewer = await world.member(Object.fromEntries(mine.map((uid) => [uid, "viewer"])));
    const { nextPageToken: pageToken } = await api.groups.list({ ...below, pageSize: 150 });
    const page = await api.as(viewer.token).groups.list({ ...below, pageToken });
    assert.deepEqual(uidsOf(page.groups), [uids[200]]);
    assert.equal(page.totalCount, "3");
  });

  test("a page token works over both protocols", async () => {
    const first = await world.operator("REST").groups.list({ ...below, pageSize: 2 });
    const request = { ...below, pageSize: 2, pageToken: first.nextPageToken };
    const second = await world.operator("gRPC").groups.list(request);
    assert.deepEqual(uidsOf(second.groups), uids.slice(2, 4));
    const next = { ...request, pageToken: second.nextPageToken };
    assert.deepEqual(
      uidsOf((await world.operator("REST").groups.list(next)).groups),
      uids.slice(4, 6),
    );
  });

  test("parameters have either spelling, and unknown ones are ignored", async () => {
    const rest = new Http(world.server.url, world.operator().token);
    const list = async (query: string) => (await rest.get(`/iam/v2beta1/groups?${query}`)).body;
    const snake = await list(`uidp.children_of=${org}&page_size=2&order_by=uid%20desc&color=red`);
    const camel = await list(`uidp.childrenOf=${org}&pageSize=2&orderBy=uid+desc`);
    assert.deepEqual(snake.groups, camel.groups);
    assert.deepEqual(uidsOf(snake.groups), uids.slice(-2).reverse());
    const next = `uidp.children_of=${org}&page_token=${snake.nextPageToken}&order_by=uid%20desc`;
    assert.equal((await list(next)).groups[0].uid, uids.at(-3));
  });

  world.rule("pages stay consistent during concurrent inserts and deletes", async (api) => {
    const parent = await world.organization();
    const named = (name: string) => world.group(parent, name);
    const made = await Promise.all(["b", "d", "f", "h", "j"].map(named));
    const request = { uidp: { childrenOf: parent }, orderBy: "name", pageSize: 2 };
    const first = await api.groups.list(request);
    assert.deepEqual(first.groups.map(nameOf), ["b", "d"]);
    // The row that the cursor stands on goes, one comes before it and one after.
    await api.groups.delete(made[1] as string);
    await Promise.all(["a", "e"].map(named));
    const second = await api.groups.list({ ...request, pageToken: first.nextPageToken });
    assert.deepEqual(second.groups.map(nameOf), ["e", "f"]);
    assert.equal(second.totalCount, "6");
    const third = await api.groups.list({ ...request, pageToken: second.nextPageToken });
    assert.deepEqual(third.groups.map(nameOf), ["h", "j"]);
    assert.equal(third.nextPageToken, "");
  });
});

function nameOf({ name }: { name: string }): string {
  return name;
}
