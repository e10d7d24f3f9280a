import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { GroupInviteSchema, IdentitySchema, ListTagsRequestSchema } from "@wharf/contract";
import { WharfError } from "../lib/errors.ts";
import { validate, validateRequest } from "./validate.ts";

const time = (seconds: bigint, nanos = 0) => create(TimestampSchema, { seconds, nanos });

const OUT_OF_RANGE = [
  time(2n ** 62n),
  time(-(2n ** 62n)),
  time(253_402_300_800n),
  time(-62_135_596_801n),
  time(0n, -1),
  time(0n, 1_000_000_000),
];

test("a timestamp in a request is within the years 0001 to 9999", () => {
  const check = (updatedSince: ReturnType<typeof time>) =>
    validateRequest(ListTagsRequestSchema, create(ListTagsRequestSchema, { updatedSince }));
  for (const one of OUT_OF_RANGE) {
    assert.throws(
      () => check(one),
      (thrown: unknown) => {
        assert.ok(thrown instanceof WharfError);
        assert.deepEqual(thrown.detail, {
          badRequest: [
            {
              field: "updatedSince",
              description: "updatedSince must be within the years 0001 to 9999",
            },
          ],
        });
        return thrown.code === "INVALID_ARGUMENT";
      },
    );
  }
  for (const one of [time(-62_135_596_800n), time(253_402_300_799n, 999_999_999)]) check(one);
});

test("a timestamp in a resource is, too", () => {
  const keys = { issuer: "https://issuer.example.com", subject: "s", issuerKeys: "{}" };
  const value = { ...keys, expirationTime: time(2n ** 62n) };
  const identity = create(IdentitySchema, {
    name: "x",
    relationship: { case: "staticKeys", value },
  });
  const expected = /staticKeys.expirationTime: expirationTime must be within the years/;
  assert.throws(() => validate(IdentitySchema, identity), expected);
});

test("a duration is at most 10,000 years, with one sign", () => {
  const check = (seconds: bigint, nanos = 0) => {
    const ttl = create(DurationSchema, { seconds, nanos });
    const roleUid = "0".repeat(40);
    validate(GroupInviteSchema, create(GroupInviteSchema, { roleUid, ttl }));
  };
  for (const [seconds, nanos] of [
    [315_576_000_001n, 0],
    [-(2n ** 63n), 0],
    [1n, -1],
    [-1n, 1],
    [0n, 1_000_000_000],
  ] as const) {
    assert.throws(() => check(seconds, nanos), /ttl must be at most 10,000 years/);
  }
  check(60n, 5);
});
