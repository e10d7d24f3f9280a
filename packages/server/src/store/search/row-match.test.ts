import assert from "node:assert/strict";
import { test } from "node:test";
import { newChildUid, newRootUid } from "@wharf/contract";
import { TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../db/connection.ts";
import { IndexedRows } from "./indexed-rows.ts";
import { TermMatch } from "./row-match.ts";

test("a row that changes while others are found is not what it was before", async () => {
  const rows = new IndexedRows();
  const uid = newChildUid(newRootUid());
  const slot = rows.put(1, uid, 0);
  const filter = { kind: "state", anyOf: ["open"], excluded: false };
  // The answer of the database is that of a moment before the change.
  const reader = {
    async arrays() {
      match.changed(slot, {
        ...{ id: 1, uid, partition: 0, created: 1, updated: 2, texts: [] },
        terms: [{ kind: "state", value: "closed" }],
      });
      return [[1]];
    },
  } as unknown as Reader;
  const match = new TermMatch(filter, rows, reader, "advisories");
  await match.find(new TimeSlices().task("test"));
  assert.equal(match.rows.has(slot), false);
});
