import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Capability, RoleSchema } from "@wharf/contract";
import { roleV1 } from "./v1-messages.ts";

test("unknown capabilities, stored by a newer server, are omitted", () => {
  const capabilities = [Capability.CAP_REPO_LIST, 9_999 as Capability];
  assert.deepEqual(roleV1(create(RoleSchema, { capabilities })).capabilities, ["repo.list"]);
});
