import assert from "node:assert/strict";
import { test } from "node:test";
import { WharfError } from "@wharf/client/json";
import { blockerOf } from "./blocker.ts";

function rejected(description: string, type = "RESOURCE_NOT_EMPTY"): WharfError {
  const details = [
    {
      "@type": "type.googleapis.com/google.rpc.PreconditionFailure",
      violations: [
        { type: "OTHER", subject: "", description: "with child other" },
        { type, subject: "", description },
      ],
    },
  ];
  return new WharfError("FAILED_PRECONDITION", "Failed precondition: …", { details });
}

test("a rejected deletion names the children in the way", () => {
  assert.equal(blockerOf(rejected('Group "acme" with child role bindings')), "role bindings");
  assert.equal(
    blockerOf(rejected("a group with child groups that must be deleted first")),
    "groups",
  );
});

test("other errors name none", () => {
  assert.equal(blockerOf(rejected("with child groups", "LAST_OWNER")), undefined);
  assert.equal(blockerOf(rejected("not empty")), undefined);
  assert.equal(blockerOf(new WharfError("NOT_FOUND", "Not found")), undefined);
  assert.equal(blockerOf(new Error("with child groups")), undefined);
});
