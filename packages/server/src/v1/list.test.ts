import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, type Message } from "@bufbuild/protobuf";
import {
  type Group,
  GroupSchema,
  GroupsService,
  type ListGroupsRequest,
  ListGroupsResponseSchema,
} from "@wharf/contract";
import { groupsV1 } from "@wharf/contract/v1";
import { groupV1 } from "../iam/v1-messages.ts";
import { invalidArgument, WharfError } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Invoke } from "./adapter.ts";
import { adaptList, LIST_LIMITS } from "./list.ts";

/** A list handler over these pages of groups, and the requests for them. */
function listing(pages: readonly (readonly string[] | Error)[], limits = LIST_LIMITS) {
  const requests: ListGroupsRequest[] = [];
  const invoke = (async (_call: Call, _method: unknown, request: Message) => {
    requests.push(request as ListGroupsRequest);
    const page = pages[requests.length - 1] ?? [];
    if (page instanceof Error) throw page;
    const groups = page.map((name) => create(GroupSchema, { name }));
    const nextPageToken = requests.length < pages.length ? `page ${requests.length + 1}` : "";
    return create(ListGroupsResponseSchema, { groups, nextPageToken });
  }) as unknown as Invoke;
  const [, handler] = adaptList(
    invoke,
    {
      method: groupsV1.Groups.method.list,
      target: GroupsService.method.listGroups,
      request: ({ name }) => (name === "none" ? undefined : { name }),
      items: ({ groups }) => groups,
      item: (group: Group) => (group.name === "hidden" ? undefined : groupV1(group)),
      names: { orderBy: "order" },
    },
    limits,
  );
  const call = async (format: Call["format"], name = "", more: Partial<Call> = {}) => {
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
  return { requests, call, json, binary };
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

test("each request has the token of the page before, and the largest page size", async () => {
  const { requests, json } = listing([["a"], ["b"], ["c"]]);
  await json("x");
  assert.deepEqual(
    requests.map(({ name, pageToken, pageSize }) => [name, pageToken, pageSize]),
    [
      ["x", "", 200],
      ["x", "page 2", 200],
      ["x", "page 3", 200],
    ],
  );
});

test("a short list is one response, a longer one is streamed on demand", async () => {
  assert.equal((await listing([["a"]]).call("json")).chunks, undefined);
  const { requests, call } = listing([["a"], ["b"], ["c"], ["d"]]);
  const { chunks } = await call("json");
  assert.equal(requests.length, 2, "read ahead");
  for await (const _ of chunks ?? []) break;
  assert.equal(requests.length, 2, "and no further once the client is gone");
});

test("the event loop runs between pages", async () => {
  for (const way of ["json", "binary"] as const) {
    const { requests, [way]: read } = listing(Array.from({ length: 20 }, () => ["a"]));
    const seen = new Set<number>();
    const look = () => {
      seen.add(requests.length);
      if (requests.length < 20) setImmediate(look);
    };
    setImmediate(look);
    await read();
    assert.ok(seen.size >= 19, `${way}: ${seen.size} ticks`);
  }
});

test("a list that cannot match makes no request", async () => {
  const { requests, json, binary } = listing([["a"]]);
  assert.deepEqual([await json("none"), await binary("none")], [[], []]);
  assert.equal(requests.length, 0);
});

test("an error of the first pages is returned with the field names of v1", async () => {
  const failure = invalidArgument({ field: "orderBy", description: "orderBy is odd" });
  const expected = { message: "Invalid argument: order: order is odd" };
  await assert.rejects(listing([failure]).call("json"), expected);
  await assert.rejects(listing([["a"], failure]).call("json"), expected);
  await assert.rejects(listing([["a"], ["b"], failure]).call("binary"), expected);
  await assert.rejects(listing([["a"], ["b"], failure]).json(), expected);
});

test("reading stops when the client is gone, and after the deadline", async () => {
  const signal = AbortSignal.abort(new WharfError("CANCELLED", "gone"));
  const { requests, call } = listing([["a"], ["b"]]);
  await assert.rejects(call("binary", "", { signal }), /gone/);
  assert.equal(requests.length, 1);
  const long = listing([["a"], ["b"]]).call("json", "", { time: Date.now() - 11 * 60_000 });
  await assert.rejects(long, /Deadline exceeded: the list took too long/i);
});

test("the default limits of lists", () => {
  const MIB = 1024 ** 2;
  const expected = { messageBytes: 64 * MIB, bufferedBytes: 256 * MIB, durationMs: 600_000 };
  assert.deepEqual(LIST_LIMITS, expected);
});

/** A 16,384th of the default limits. */
const LIMITS = { ...LIST_LIMITS, messageBytes: 4 * 1024, bufferedBytes: 16 * 1024 };
const LONG_NAME = "x".repeat(64);

test("a list longer than a gRPC message is rejected", async () => {
  const pages = Array.from({ length: 65 }, () => [LONG_NAME]);
  await assert.rejects(listing(pages, LIMITS).call("binary"), { code: "RESOURCE_EXHAUSTED" });
  assert.equal((await listing(pages, LIMITS).json()).length, 65, "but not over REST");
});

test("concurrent gRPC lists share a buffer limit", async () => {
  const pages = Array.from({ length: 60 }, () => [LONG_NAME]);
  const lists = Array.from({ length: 6 }, () => listing(pages, LIMITS).call("binary"));
  const ends = await Promise.allSettled(lists);
  const errors = ends.flatMap((end) => (end.status === "rejected" ? [end.reason.message] : []));
  assert.ok(errors.length > 0 && errors.length < 6, `${errors.length} were rejected`);
  assert.match(errors[0], /too many long lists at once$/);
  assert.equal((await listing(pages, LIMITS).binary()).length, 60, "the buffer is free again");
});
