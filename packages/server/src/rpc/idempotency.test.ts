import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromJson, toJson } from "@bufbuild/protobuf";
import {
  AdvisoryImportsService,
  CreateGroupRequestSchema,
  CreateRepoRequestSchema,
  GroupsService,
  ImportAdvisoriesRequestSchema,
  ReposService,
} from "@wharf/contract";
import { OPERATOR } from "../auth/caller.ts";
import { idempotencyKeyOf, readIdempotencyKey } from "./idempotency.ts";

const ignore = () => {};

test("a key is the same in double quotes and without", () => {
  for (const [header, key] of [
    ["a-1", "a-1"],
    [" a-1 ", "a-1"],
    ['"a-1"', "a-1"],
    ['"say \\"hi\\""'.replace(" ", "-"), 'say-"hi"'],
    ['a"b', 'a"b'],
    ["~".repeat(255), "~".repeat(255)],
  ] as const) {
    assert.equal(readIdempotencyKey(header), key);
  }
});

test("anything else is rejected, with the name of the field", () => {
  for (const header of [
    "",
    " ",
    '""',
    '"a',
    '"a"b"',
    "a b",
    "a, b",
    "é",
    "~".repeat(256),
    "a\u0000",
  ]) {
    assert.throws(() => readIdempotencyKey(header, "request_id"), {
      code: "INVALID_ARGUMENT",
      message: /request_id must have 1 to 255 visible ASCII characters/,
    });
  }
});

test("the digest of a request does not depend on the order of maps, and changes with every value", () => {
  const keyOf = (environment: Record<string, string>) => {
    const repo = { name: "r", customOverlay: { environment } };
    const request = create(CreateRepoRequestSchema, { parent: "p", repo });
    return idempotencyKeyOf("k", OPERATOR, ReposService.method.createRepo, request, ignore);
  };
  const first = keyOf({ a: "1", b: "2" });
  assert.deepEqual(
    [first.id, first.request],
    [keyOf({ b: "2", a: "1" }).id, keyOf({ b: "2", a: "1" }).request],
  );
  for (const other of [{ a: "1" }, { a: "1", b: "3" }, { a: "1", c: "2" }]) {
    assert.equal(keyOf(other).id, first.id);
    assert.notEqual(keyOf(other).request, first.request);
  }
});

test("JSON in a request stays as it was sent", () => {
  const method = AdvisoryImportsService.method.importAdvisories;
  const json = (osv: object) => ({
    parent: "p",
    documents: [{ name: "d", advisories: [{ source: { osv } }] }],
  });
  const [one, two] = [
    { id: "x", a: { c: 1, b: [{ z: 1, y: 2 }] } },
    { a: { b: [{ y: 2, z: 1 }], c: 1 }, id: "x" },
  ].map((osv) => fromJson(ImportAdvisoriesRequestSchema, json(osv) as never));
  assert.ok(one && two);
  const before = JSON.stringify(toJson(ImportAdvisoriesRequestSchema, one));
  const digests = [one, two].map((request) => {
    return idempotencyKeyOf("k", OPERATOR, method, request, ignore).request;
  });
  assert.equal(digests[0], digests[1]);
  assert.equal(JSON.stringify(toJson(ImportAdvisoriesRequestSchema, one)), before);
});

test("the same request has another digest with another key", () => {
  const request = create(CreateGroupRequestSchema, { parent: "p" });
  const { createGroup } = GroupsService.method;
  const [one, two] = ["k", "l"].map((key) => {
    return idempotencyKeyOf(key, OPERATOR, createGroup, request, ignore).request;
  });
  assert.notEqual(one, two, "a digest without a secret in it helps to guess the request");
});

test("caller, method and key make the id", () => {
  const request = create(CreateGroupRequestSchema);
  const { createGroup, updateGroup } = GroupsService.method;
  const ids = [
    idempotencyKeyOf("k", OPERATOR, createGroup, request, ignore),
    idempotencyKeyOf("l", OPERATOR, createGroup, request, ignore),
    idempotencyKeyOf("k", { ...OPERATOR, uid: "other" }, createGroup, request, ignore),
    idempotencyKeyOf("k", OPERATOR, { ...updateGroup, input: createGroup.input }, request, ignore),
  ].map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});
