import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  GroupSchema,
  IdentitySchema,
  ListGroupsRequestSchema,
  ListGroupsResponseSchema,
} from "@wharf/contract";
import { WharfError } from "../lib/errors.ts";
import { messageFromJson, messageToJson } from "./json.ts";

test("fields without presence are always written, others only when set", () => {
  const text = messageToJson(ListGroupsResponseSchema, create(ListGroupsResponseSchema));
  assert.equal(text, '{"groups":[],"nextPageToken":"","skipped":0}');
  const counted = create(ListGroupsResponseSchema, { totalCount: 12n });
  assert.match(messageToJson(ListGroupsResponseSchema, counted), /"totalCount":"12"/);
});

for (const [seconds, nanos, expected] of [
  [1767225600n, 0, "2026-01-01T00:00:00.000Z"],
  [1767225600n, 5_000_000, "2026-01-01T00:00:00.005Z"],
  [1767225600n, 999_999_999, "2026-01-01T00:00:00.999Z"],
  [-1n, 120_000, "1969-12-31T23:59:59.000Z"],
] as const) {
  test(`${seconds} s and ${nanos} ns is written as ${expected}`, () => {
    const group = create(GroupSchema, { createTime: { seconds, nanos } });
    assert.equal(JSON.parse(messageToJson(GroupSchema, group)).createTime, expected);
  });
}

test("timestamps inside lists have three digits too", () => {
  const groups = [{ createTime: timestampFromMs(1767225600000) }];
  const text = messageToJson(
    ListGroupsResponseSchema,
    create(ListGroupsResponseSchema, { groups }),
  );
  assert.equal(JSON.parse(text).groups[0].createTime, "2026-01-01T00:00:00.000Z");
});

test("JSON that was encoded can be decoded", () => {
  const identity = create(IdentitySchema, {
    name: "ci",
    relationship: {
      case: "claimMatch",
      value: { iss: { case: "issuer", value: "https://i" }, claims: { a: "b" } },
    },
    lastSeenTime: timestampFromMs(1767225600123),
  });
  const json = JSON.parse(messageToJson(IdentitySchema, identity));
  assert.deepEqual(messageFromJson(IdentitySchema, json), identity);
});

test("names may be snake_case and null leaves a field unset", () => {
  const group = messageFromJson(GroupSchema, {
    create_time: "2026-01-01T02:00:00+02:00",
    name: null,
    kind: 2,
  });
  assert.equal(group.createTime?.seconds, 1767225600n);
  assert.equal(group.name, "");
  assert.equal(group.kind, 2);
});

const rejected: [json: JsonValue, message: RegExp][] = [
  [[], /the body must be an object/],
  [{ name: 1 }, /name: name must be a string/],
  [{ claimMatch: { issuer: {} } }, /claimMatch\.issuer: claimMatch\.issuer must be a string/],
  [{ claim_match: { claims: { a: 1 } } }, /claimMatch\.claims\.a: /],
  [{ staticKeys: { audiences: ["a", null] } }, /staticKeys\.audiences\[1\] must not be null/],
  [{ staticKeys: { audiences: "a" } }, /must be a list/],
  [{ staticKeys: { expirationTime: "x" } }, /must be an RFC 3339 time/],
  [{ name: "\ud800" }, /must be well-formed text/],
];
for (const [json, message] of rejected) {
  test(`${JSON.stringify(json)} is rejected`, () => {
    assert.throws(() => messageFromJson(IdentitySchema, json), {
      name: WharfError.name,
      code: "INVALID_ARGUMENT",
      message,
    });
  });
}

test("numbers must be whole and in range", () => {
  const read = (pageSize: JsonValue) => messageFromJson(ListGroupsRequestSchema, { pageSize });
  assert.equal(read("7").pageSize, 7);
  for (const wrong of [1.5, 2 ** 31, "1e3", "", "0x10", true, "99999999999999999999999"]) {
    assert.throws(() => read(wrong), /pageSize/);
  }
});

test("unknown keys are ignored by default and can be rejected", () => {
  assert.equal(messageFromJson(GroupSchema, { name: "a", nope: 1 }).name, "a");
  const options = { unknown: "reject" } as const;
  assert.throws(() => messageFromJson(GroupSchema, { nope: 1 }, options), /nope is not a known/);
});
