import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import {
  PreconditionFailureSchema,
  RetryInfoSchema,
} from "@wharf/contract/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";
import {
  failedPrecondition,
  invalidArgument,
  notFound,
  tooMany,
  WharfError,
} from "../../lib/errors.ts";
import { statusBinary, statusJson } from "./status.ts";

const TYPE = "type.googleapis.com/google.rpc";

for (const [error, expected] of [
  [
    invalidArgument({ field: "name", description: "name is required" }),
    `{"code":3,"message":"Invalid argument: name: name is required","details":[{"@type":"${TYPE}.ErrorInfo","reason":"INVALID_ARGUMENT","domain":"d"},{"@type":"${TYPE}.BadRequest","fieldViolations":[{"field":"name","description":"name is required"}]}]}`,
  ],
  [
    failedPrecondition({ type: "RESOURCE_NOT_EMPTY", description: "it has repos" }),
    `{"code":9,"message":"Precondition failed: it has repos","details":[{"@type":"${TYPE}.ErrorInfo","reason":"FAILED_PRECONDITION","domain":"d"},{"@type":"${TYPE}.PreconditionFailure","violations":[{"type":"RESOURCE_NOT_EMPTY","description":"it has repos"}]}]}`,
  ],
  [
    notFound("Group", "x"),
    `{"code":5,"message":"Not found: Group \\"x\\" does not exist","details":[{"@type":"${TYPE}.ErrorInfo","reason":"NOT_FOUND","domain":"d"},{"@type":"${TYPE}.ResourceInfo","resourceType":"d/Group","resourceName":"x","owner":"","description":""}]}`,
  ],
  [
    new WharfError("UNKNOWN", "lost", { reason: "COMMIT_OUTCOME_UNKNOWN" }),
    `{"code":2,"message":"Unknown: lost","details":[{"@type":"${TYPE}.ErrorInfo","reason":"COMMIT_OUTCOME_UNKNOWN","domain":"d"}]}`,
  ],
  [
    new WharfError("UNAVAILABLE", "the store"),
    `{"code":14,"message":"Unavailable: the store","details":[{"@type":"${TYPE}.ErrorInfo","reason":"UNAVAILABLE","domain":"d"},{"@type":"${TYPE}.RetryInfo","retryDelay":"5s"}]}`,
  ],
  [
    tooMany("too many", 30),
    `{"code":8,"message":"Resource exhausted: too many","details":[{"@type":"${TYPE}.ErrorInfo","reason":"RESOURCE_EXHAUSTED","domain":"d"},{"@type":"${TYPE}.RetryInfo","retryDelay":"30s"}]}`,
  ],
  [
    new WharfError("ABORTED", "again"),
    `{"code":10,"message":"Aborted: again","details":[{"@type":"${TYPE}.ErrorInfo","reason":"ABORTED","domain":"d"}]}`,
  ],
] as const) {
  test(`${error.code} has exactly the JSON that the specification shows`, () => {
    assert.equal(statusJson(error, "d"), expected);
  });
}

test("the binary form is the same", () => {
  const violation = { type: "T", subject: "s", description: "why" };
  const status = fromBinary(StatusSchema, statusBinary(failedPrecondition(violation), "d"));
  assert.equal(status.code, 9);
  assert.equal(status.details.length, 2);
  const detail = anyUnpack(status.details[1] as never, PreconditionFailureSchema);
  assert.equal(detail?.violations[0]?.subject, "s");
});

test("the binary form says when to retry", () => {
  const status = fromBinary(StatusSchema, statusBinary(tooMany("too many", 30), "d"));
  const detail = anyUnpack(status.details[1] as never, RetryInfoSchema);
  assert.equal(detail?.retryDelay?.seconds, 30n);
});
