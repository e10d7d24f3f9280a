import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { UIDPFilterSchema } from "@wharf/contract";
import { filterOf } from "./filter.ts";

const UID = "0123456789".repeat(4);
const OTHER = "9876543210".repeat(4);

test("an empty filter stays empty", () => {
  assert.deepEqual(filterOf(""), create(UIDPFilterSchema));
  const uidp = create(UIDPFilterSchema, { childrenOf: UID });
  assert.deepEqual(filterOf("", uidp), uidp);
});

test("an id narrows a copy of the filter", () => {
  const uidp = create(UIDPFilterSchema, { descendantsOf: OTHER, ids: [UID, OTHER] });
  const both = create(UIDPFilterSchema, { descendantsOf: OTHER, ids: [UID] });
  assert.deepEqual(filterOf(UID, uidp), both);
  assert.deepEqual(uidp.ids, [UID, OTHER]);
});

test("a filter that cannot match is undefined", () => {
  assert.equal(filterOf("nonsense"), undefined);
  assert.equal(filterOf("", create(UIDPFilterSchema, { ids: ["nonsense"] })), undefined);
  const some = create(UIDPFilterSchema, { ids: ["nonsense", UID] });
  assert.deepEqual(filterOf("", some)?.ids, [UID]);
  assert.equal(filterOf("nonsense", some), undefined);
  assert.equal(filterOf(UID, create(UIDPFilterSchema, { ids: [OTHER] })), undefined);
});
