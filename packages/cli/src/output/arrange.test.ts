import assert from "node:assert/strict";
import { test } from "node:test";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Arrangement, arrange } from "./arrange.ts";
import type { Column } from "./columns.ts";

const DAY_MS = 86_400_000;
const ago = (days: number) => timestampFromMs(Date.now() - days * DAY_MS);

const ITEMS = [
  { id: "v10", size: 7, tags: ["a", "b"], at: ago(1), role: { name: "Owner" } },
  { id: "v2", size: 10, tags: [], at: undefined, role: { name: "viewer" } },
  { id: "v1", size: 10, tags: ["b*"], at: ago(40), role: undefined },
];

const COLUMNS: readonly Column<(typeof ITEMS)[number]>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "Last seen", value: ({ at }) => at },
  { header: "Role", value: ({ role }) => role?.name },
];

async function ids(arrangement: Arrangement, items = ITEMS): Promise<string> {
  const found = await Array.fromAsync(arrange(items, COLUMNS, arrangement));
  return found.map(({ id }) => id).join(" ");
}

test("sorts by columns and fields: numbers in texts count, and unset values are last", async () => {
  for (const [sort, expected] of [
    ["id", "v1 v2 v10"],
    ["ID desc", "v10 v2 v1"],
    ["size DESC", "v2 v1 v10"],
    ["last seen", "v1 v10 v2"],
    ["last-seen desc", "v10 v1 v2"],
    ["lastSeen asc", "v1 v10 v2"],
    ["role.name", "v10 v2 v1"],
  ] as const) {
    assert.equal(await ids({ sort }), expected, sort);
  }
});

test("filters by columns and fields, all of them at once", async () => {
  for (const [filter, expected] of [
    [["id=v2"], "v2"],
    [["id=v*"], "v10 v2 v1"],
    [["id=*0"], "v10"],
    [["id!=v1*"], "v2"],
    [["role~OWN"], "v10"],
    [["role !~ own"], "v2 v1"],
    [["role="], "v1"],
    [["tags=b"], "v10"],
    [["tags="], "v2"],
    [["size>=10", "id<v2"], "v1"],
    [["size<10"], "v10"],
    [["last seen>7d"], "v10"],
    [["last-seen<30d"], "v1"],
    [["at<=2020-01-31"], ""],
  ] as const) {
    assert.equal(await ids({ filter }), expected, filter.join());
  }
});

test("the limit counts what is left, and bounds what is sorted of a log", async () => {
  assert.equal(await ids({ sort: "id", limit: 2 }), "v1 v2");
  assert.equal(await ids({ filter: ["size=10"], limit: 1 }), "v2");
  assert.equal(await ids({ sort: "id", limit: 2, sortsWithinLimit: true }), "v2 v10");
});

test("reads no more than it needs", async () => {
  let read = 0;
  async function* items() {
    for (const item of ITEMS) {
      read += 1;
      yield item;
    }
  }
  await Array.fromAsync(arrange(items(), COLUMNS, { filter: ["size>5"], limit: 1 }));
  assert.equal(read, 1);
});

test("rejects what is neither a column nor a field, and values that cannot be compared", async () => {
  for (const [arrangement, message, hint] of [
    [{ sort: "rol" }, /--sort: there is no column or field "rol"/, /did you mean role/],
    [{ filter: ["x=1"] }, /--filter: there is no column or field "x"/, /columns: id, last-seen/],
    [{ filter: ["size>many"] }, /"many" is not a number/, /^$/],
    [{ filter: ["at<soon"] }, /"soon" is neither a time nor a duration/, /30d/],
  ] as const) {
    await assert.rejects(ids(arrangement), (error: Error & { problem: { hint?: string } }) => {
      assert.match(error.message, message);
      assert.match(error.problem.hint ?? "", hint);
      return true;
    });
  }
  for (const [arrangement, message] of [
    [{ filter: ["name"] }, /--filter must be FIELD=VALUE, not "name"/],
    [{ sort: " " }, /--sort needs a column/],
    [{ limit: 0 }, /--limit must be a positive whole number/],
  ] as const) {
    // Before anything is read.
    assert.throws(() => arrange(ITEMS, COLUMNS, arrangement), message);
  }
});
