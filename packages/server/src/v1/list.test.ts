import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, type Message } from "@bufbuild/protobuf";
import {
  type Group,
  GroupSchema,
  GroupsService,
  type ListGroupsRequest,
  ListGroupsResponseSchema,
  UIDPFilterSchema,
} from "@wharf/contract";
import { groupsV1 } from "@wharf/contract/v1";
import { invalidArgument, WharfError } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Invoke } from "./adapter.ts";
import { groupV1 } from "./groups.ts";
import { adaptList, filterOf } from "./list.ts";

const UID = "0123456789".repeat(4);
const OTHER = "9876543210".repeat(4);

test("no filter is no filter", () => {
  assert.deepEqual(filterOf(""), create(UIDPFilterSchema));
  const uidp = create(UIDPFilterSchema, { childrenOf: UID });
  assert.deepEqual(filterOf("", uidp), uidp);
});

test("an id is added to the filter, which is not changed", () => {
  const uidp = create(UIDPFilterSchema, { descendantsOf: OTHER, ids: [UID, OTHER] });
  const both = create(UIDPFilterSchema, { descendantsOf: OTHER, ids: [UID] });
  assert.deepEqual(filterOf(UID, uidp), both);
  assert.deepEqual(uidp.ids, [UID, OTHER]);
});

test("what cannot be asks for nothing", () => {
  assert.equal(filterOf("nonsense"), undefined);
  assert.equal(filterOf("", create(UIDPFilterSchema, { ids: ["nonsense"] })), undefined);
  const some = create(UIDPFilterSchema, { ids: ["nonsense", UID] });
  assert.deepEqual(filterOf("", some)?.ids, [UID]);
  assert.equal(filterOf("nonsense", some), undefined);
  assert.equal(filterOf(UID, create(UIDPFilterSchema, { ids: [OTHER] })), undefined);
});

/** Pages of groups, and what was asked for them. */
function listing(pages: readonly (readonly string[] | Error)[]) {
  const asked: ListGroupsRequest[] = [];
  const invoke = (async (_call: Call, _method: unknown, request: Message) => {
    asked.push(request as ListGroupsRequest);
    const page = pages[asked.length - 1] ?? [];
    if (page instanceof Error) throw page;
    const groups = page.map((name) => create(GroupSchema, { name }));
    const nextPageToken = asked.length < pages.length ? `page ${asked.length + 1}` : "";
    return create(ListGroupsResponseSchema, { groups, nextPageToken });
  }) as unknown as Invoke;
  const [, handler] = adaptList(invoke, {
    method: groupsV1.Groups.method.list,
    onto: GroupsService.method.listGroups,
    request: ({ name }) => (name === "nobody" ? undefined : { name }),
    items: ({ groups }) => groups,
    item: (group: Group) => (group.name === "hidden" ? undefined : groupV1(group)),
    names: { orderBy: "order" },
  });
  const call = (format: Call["format"], name = "", more: Partial<Call> = {}) => {
    const signal = new AbortController().signal;
    const made = { format, signal, time: Date.now(), ...more } as Call;
    return handler(made, create(groupsV1.GroupFilterSchema, { name }));
  };
  const json = async (name = "", more: Partial<Call> = {}) => {
    const { chunks, ...reply } = await call("json", name, more);
    let text = "";
    if (chunks === undefined) text = reply.json();
    else for await (const chunk of chunks) text += chunk;
    return JSON.parse(text).items.map((item: { name: string }) => item.name);
  };
  const binary = async (name = "") => {
    const bytes = (await call("binary", name)).binary();
    return fromBinary(groupsV1.GroupListSchema, bytes).items.map((item) => item.name);
  };
  return { asked, call, json, binary };
}

const shapes: [pages: string[][], names: string[]][] = [
  [[], []],
  [[["a", "b"]], ["a", "b"]],
  [
    [["a"], ["b"]],
    ["a", "b"],
  ],
  [
    [["a"], ["b", "c"], ["d"]],
    ["a", "b", "c", "d"],
  ],
  [
    [["a"], [], ["b"], []],
    ["a", "b"],
  ],
  [[[], [], ["a"]], ["a"]],
  [[["hidden"], ["hidden", "a"], ["hidden"]], ["a"]],
  [[["hidden"], ["hidden"], ["hidden"]], []],
];

for (const [pages, names] of shapes) {
  test(`pages ${JSON.stringify(pages)} are one list`, async () => {
    assert.deepEqual(await listing(pages).json(), names);
    assert.deepEqual(await listing(pages).binary(), names);
  });
}

test("each page is asked for as the one before says, as large as pages are", async () => {
  const { asked, json } = listing([["a"], ["b"], ["c"]]);
  await json("x");
  assert.deepEqual(
    asked.map(({ name, pageToken, pageSize }) => [name, pageToken, pageSize]),
    [
      ["x", "", 200],
      ["x", "page 2", 200],
      ["x", "page 3", 200],
    ],
  );
});

test("a short list is whole, a longer one comes in chunks, read as they are asked for", async () => {
  assert.equal((await listing([["a"]]).call("json")).chunks, undefined);
  const { asked, call } = listing([["a"], ["b"], ["c"], ["d"]]);
  const { chunks } = await call("json");
  assert.equal(asked.length, 2, "read ahead");
  for await (const _ of chunks ?? []) break;
  assert.equal(asked.length, 2, "and not further for whoever has left");
});

test("others have their turn between pages", async () => {
  for (const way of ["json", "binary"] as const) {
    const { asked, [way]: read } = listing(Array.from({ length: 20 }, () => ["a"]));
    const seen = new Set<number>();
    const look = () => {
      seen.add(asked.length);
      if (asked.length < 20) setImmediate(look);
    };
    setImmediate(look);
    await read();
    assert.ok(seen.size >= 19, `${way}: ${seen.size} turns`);
  }
});

test("what cannot be is not asked for", async () => {
  const { asked, json, binary } = listing([["a"]]);
  assert.deepEqual([await json("nobody"), await binary("nobody")], [[], []]);
  assert.equal(asked.length, 0);
});

test("a refusal of the first pages is a refusal, in the words of version 1", async () => {
  const failure = invalidArgument({ field: "orderBy", description: "orderBy is odd" });
  const told = { message: "Invalid argument: order: order is odd" };
  await assert.rejects(listing([failure]).call("json"), told);
  await assert.rejects(listing([["a"], failure]).call("json"), told);
  await assert.rejects(listing([["a"], ["b"], failure]).call("binary"), told);
  await assert.rejects(listing([["a"], ["b"], failure]).json(), told);
});

test("nobody is read for once they are gone, or for too long", async () => {
  const signal = AbortSignal.abort(new WharfError("CANCELLED", "gone"));
  const { asked, call } = listing([["a"], ["b"]]);
  await assert.rejects(call("binary", "", { signal }), /gone/);
  assert.equal(asked.length, 1);
  const long = listing([["a"], ["b"]]).call("json", "", { time: Date.now() - 11 * 60_000 });
  await assert.rejects(long, /Deadline exceeded: the list took too long/i);
});

test("a list that would be longer than a message may be is refused over gRPC", async () => {
  const long = "x".repeat(1024 * 1024);
  const pages = Array.from({ length: 65 }, () => [long]);
  await assert.rejects(listing(pages).call("binary"), { code: "RESOURCE_EXHAUSTED" });
  assert.equal((await listing(pages).json()).length, 65, "over REST it is not");
});

test("lists over gRPC are not held in any number at once", async () => {
  const pages = Array.from({ length: 60 }, () => ["x".repeat(1024 * 1024)]);
  const lists = Array.from({ length: 6 }, () => listing(pages).call("binary"));
  const ends = await Promise.allSettled(lists);
  const refusals = ends.flatMap((end) => (end.status === "rejected" ? [end.reason.message] : []));
  assert.ok(refusals.length > 0 && refusals.length < 6, `${refusals.length} were refused`);
  assert.match(refusals[0], /too many long lists at once$/);
  assert.equal((await listing(pages).binary()).length, 60, "and then there is room again");
});
