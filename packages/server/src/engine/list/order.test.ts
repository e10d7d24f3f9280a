import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { WharfError } from "../../lib/errors.ts";
import { parseOrder } from "./order.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const FALLBACK = { column: "updated", descending: true } as const;
const ALL = { columns: ["uid", "name", "created_at", "updated_at"] };

const COLUMNS: Readonly<Record<string, string>> = {
  uid: "uid",
  name: "name",
  created_at: "created",
  create_time: "created",
  createTime: "created",
  updated_at: "updated",
  update_time: "updated",
  updateTime: "updated",
};

test("every key sorts by its column, ascending by default", () => {
  const spaces = fc.constantFrom(" ", "  ", "    ");
  const around = fc.constantFrom("", " ", "   ");
  const key = fc.constantFrom(...Object.keys(COLUMNS));
  const direction = fc.constantFrom(undefined, "asc", "desc", "ASC", "DESC", "Desc");
  const property = fc.property(key, direction, spaces, around, around, (k, d, gap, left, right) => {
    const text = `${left}${k}${d === undefined ? "" : gap + d}${right}`;
    const expected = { column: COLUMNS[k], descending: d?.toLowerCase() === "desc" };
    assert.deepEqual(parseOrder(text, FALLBACK, ALL), { order: expected, secondary: [] });
  });
  fc.assert(property, { seed: SEED });
});

test("an empty order_by is the default order", () => {
  for (const text of ["", "   "]) {
    assert.deepEqual(parseOrder(text, FALLBACK, ALL), { order: FALLBACK, secondary: [] });
  }
});

test("several keys are separated by commas; those that decide nothing are left out", () => {
  const allowed = { ...ALL, terms: { aliases: "alias" } };
  const columnsOf = (text: string) => {
    const { order, secondary } = parseOrder(text, FALLBACK, allowed);
    return [order, ...secondary].map(
      (key) => `${"column" in key ? key.column : key.term} ${key.descending}`,
    );
  };
  assert.deepEqual(columnsOf("name,created_at desc"), ["name false", "created true"]);
  assert.deepEqual(columnsOf(" name DESC , update_time "), ["name true", "updated false"]);
  assert.deepEqual(columnsOf("name, uid desc, created_at"), ["name false", "uid true"]);
  assert.deepEqual(columnsOf("uid, name desc"), ["uid false"]);
  assert.deepEqual(columnsOf("name, name desc, name"), ["name false"]);
  assert.deepEqual(columnsOf("name, aliases desc"), ["name false", "alias true"]);
  assert.deepEqual(columnsOf("aliases desc, name"), ["uid false", "alias true", "name false"]);
});

test("anything but a key and a direction is rejected, and the error names the allowed keys", () => {
  const words = fc.constantFrom("uid", "name", "desc", "asc", "down", "id", "; ", "__proto__", "");
  const odd = fc.oneof(
    fc.array(words, { minLength: 1, maxLength: 4 }).map((list) => list.join(" ")),
    fc.string(),
    fc.constantFrom(
      "name,",
      ",",
      "name,,uid",
      "name;uid",
      "name\tdesc",
      "name\ndesc",
      "toString",
      "constructor",
      "Name",
    ),
  );
  const readable = /^ *(uid|name|created_at|updated_at)( +(asc|desc))? *$|^ *$/i;
  const property = fc.property(odd, (text) => {
    fc.pre(!readable.test(text) && !Object.keys(COLUMNS).includes(text.trim()));
    assert.throws(
      () => parseOrder(text, FALLBACK, ALL),
      (error: WharfError) =>
        error.code === "INVALID_ARGUMENT" && error.message.includes("uid, name, created_at"),
    );
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});

test("only resources with the uid of their group can be ordered by group", () => {
  const order = { column: "uid", descending: true };
  const grouped = { columns: ["group", ...ALL.columns] };
  assert.deepEqual(parseOrder("group desc", FALLBACK, grouped).order, order);
  assert.throws(() => parseOrder("group", FALLBACK, ALL), { code: "INVALID_ARGUMENT" });
});

test("a key is rejected where the resource has no such field, under each of its names", () => {
  for (const text of ["name", "created_at", "create_time", "createTime desc"]) {
    assert.throws(() => parseOrder(text, FALLBACK, { columns: ["uid"] }), {
      code: "INVALID_ARGUMENT",
    });
  }
});
