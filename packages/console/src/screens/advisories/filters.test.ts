import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commandOf, EVENT_TYPES, FILTERS, filterName, filtersOf, valuesIn } from "./filters.ts";

test("types have the names of the enumeration", () => {
  assert.equal(filterName("fixed"), "EVENT_TYPE_FILTER_FIXED");
  assert.equal(filterName("pendingUpstreamFix"), "EVENT_TYPE_FILTER_PENDING_UPSTREAM_FIX");
});

test("a moved component is an event, but no latest status", () => {
  const moved = filterName("componentLocationChanged");
  assert.ok(moved in EVENT_TYPES);
  const latest = FILTERS.find(({ name }) => name === "latest");
  assert.ok(!(moved in (latest?.options ?? {})));
});

test("values are separated by commas, without white space and empty ones", () => {
  assert.deepEqual(valuesIn(" a , b,,"), ["a", "b"]);
  assert.deepEqual(valuesIn(undefined), []);
});

describe("the request of a search", () => {
  test("has a list for each filter with several values", () => {
    assert.deepEqual(filtersOf({ alias: "CVE-2024-1, CVE-2024-2", notAuthor: "x" }), {
      aliases: ["CVE-2024-1", "CVE-2024-2"],
      excludeEventAuthors: ["x"],
    });
  });

  test("keeps commas in a filter with one value", () => {
    assert.deepEqual(filtersOf({ query: "a, b" }), { query: "a, b" });
  });

  test("has a time of day for a date, and nothing for a text that is none", () => {
    assert.deepEqual(filtersOf({ since: "2026-01-02" }), {
      updatedSince: "2026-01-02T00:00:00.000Z",
    });
    assert.deepEqual(filtersOf({ since: "soon" }), {});
  });

  test("shows deleted advisories only if that is chosen", () => {
    assert.deepEqual(filtersOf({ deleted: "true" }), { showDeleted: true });
    assert.deepEqual(filtersOf({ deleted: "false" }), {});
  });

  test("is empty without filters, and ignores unknown parameters", () => {
    assert.deepEqual(filtersOf({ page: 3, order: "name" }), {});
  });
});

describe("the command of a search", () => {
  const command = (search: Readonly<Record<string, string>>) =>
    commandOf("acme", search).replace("wharf advisories list --parent acme --recursive", "").trim();

  test("repeats an option for each value, quoted for a shell", () => {
    assert.equal(command({ alias: "CVE-1, it's" }), `--alias 'CVE-1' --alias 'it'\\''s'`);
  });

  test("has the names of options where they differ from those of the URL", () => {
    assert.equal(
      command({ since: "2026-01-02", legacyId: "x", notAuthor: "y" }),
      "--legacy-id 'x' --not-author 'y' --updated-since '2026-01-02'",
    );
  });

  test("leaves out filters with a choice of values", () => {
    assert.equal(command({ latest: filterName("fixed"), deleted: "true" }), "");
  });
});
