import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EventFilterJson } from "@wharf/contract/messages";
import { type BuiltFilter, filtersText, fromFilters, NO_FILTER, toFilters } from "./filter.ts";
import { matchesEvent } from "./match.ts";

const built = (some: Partial<BuiltFilter>): BuiltFilter => ({ ...NO_FILTER, ...some });

describe("filters of the builder", () => {
  test("become filters of the API", () => {
    assert.deepEqual(toFilters(NO_FILTER), []);
    assert.deepEqual(toFilters(built({ types: ["iam.group.created.v1", "iam.role.*"] })), [
      { any: [{ glob: { type: "*.iam.group.created.v1" } }, { glob: { type: "*.iam.role.*" } }] },
    ]);
    assert.deepEqual(toFilters(built({ actor: "a", subject: "s" })), [
      { exact: { actor: "a" } },
      { exact: { subject: "s" } },
    ]);
    assert.deepEqual(toFilters(built({ subject: "s", isBelow: true })), [
      { any: [{ exact: { subject: "s" } }, { prefix: { subject: "s/" } }] },
    ]);
  });

  test("come back as they were, in every combination", () => {
    for (const types of [[], ["iam.group.*"], ["a.b.v1", "c.*"]]) {
      for (const actor of ["", "actor"]) {
        for (const subject of ["", "s", "s/t"]) {
          for (const isBelow of subject === "" ? [false] : [false, true]) {
            const filter = { types, actor, subject, isBelow };
            assert.deepEqual(fromFilters(toFilters(filter)), filter);
          }
        }
      }
    }
  });

  test("are recognized with the empty fields that the API returns", () => {
    const empty = { exact: {}, prefix: {}, suffix: {}, glob: {}, all: [], any: [] };
    assert.deepEqual(
      fromFilters([
        { ...empty, any: [{ ...empty, glob: { type: "*.iam.group.*" } }] },
        { ...empty, exact: { actor: "a" } },
      ]),
      built({ types: ["iam.group.*"], actor: "a" }),
    );
  });

  test("of the command line, which writes types twice, are one type", () => {
    const any = [{ glob: { type: "iam.*" } }, { glob: { type: "*.iam.*" } }];
    assert.deepEqual(fromFilters([{ any }]), built({ types: ["iam.*"] }));
    assert.deepEqual(fromFilters([{ glob: { type: "*.x.v1" } }]), built({ types: ["x.v1"] }));
  });

  test("that the builder cannot show completely are not shown at all", () => {
    const others: readonly (readonly EventFilterJson[])[] = [
      [{ exact: { actor: "a", subject: "s" } }],
      [{ exact: { source: "x" } }],
      [{ not: { exact: { actor: "a" } } }],
      [{ all: [{ exact: { actor: "a" } }] }],
      [{ prefix: { subject: "s/" } }],
      [{ suffix: { type: ".v1" } }],
      [{ exact: { actor: "a" } }, { exact: { actor: "b" } }],
      [{ any: [{ glob: { type: "a" } }] }, { any: [{ glob: { type: "b" } }] }],
      [
        { exact: { subject: "a" } },
        { any: [{ exact: { subject: "b" } }, { prefix: { subject: "b/" } }] },
      ],
      // The second half is of another subject, or too wide.
      [{ any: [{ exact: { subject: "s" } }, { prefix: { subject: "t/" } }] }],
      [{ any: [{ exact: { subject: "s" } }, { prefix: { subject: "s" } }] }],
      [{ any: [{ exact: { subject: "s" } }] }],
      [{ any: [{ exact: { subject: "s", actor: "a" } }, { prefix: { subject: "s/" } }] }],
      [{ any: [{ glob: { type: "a" } }, { exact: { actor: "b" } }] }],
      [{ any: [{ glob: { type: "a", subject: "s" } }] }],
      [{ exact: { actor: "a" }, any: [{ glob: { type: "a" } }] }],
      [{}],
    ];
    for (const filters of others) {
      assert.equal(fromFilters(filters), undefined, JSON.stringify(filters));
    }
  });

  test("are written without empty fields at any depth", () => {
    const filters: EventFilterJson[] = [
      {
        exact: {},
        not: { exact: { actor: "a" }, glob: {} },
        any: [{ glob: { type: "x" }, all: [] }],
      },
    ];
    assert.deepEqual(JSON.parse(filtersText(filters)), [
      { not: { exact: { actor: "a" } }, any: [{ glob: { type: "x" } }] },
    ]);
  });
});

describe("events of the live list", () => {
  const event = {
    group: "g/h",
    type: "dev.wharf.iam.group.created.v1",
    subject: "g/h/i",
    actor: "me",
  };

  test("are of the group or below it, not of one with the same beginning", () => {
    assert.ok(matchesEvent(event, "g", {}));
    assert.ok(matchesEvent(event, "g/h", {}));
    for (const within of ["g/h/i", "g/", "h", "", "g/hh"]) {
      assert.ok(!matchesEvent(event, within, {}), within);
    }
    assert.ok(!matchesEvent({ ...event, group: "gg" }, "g", {}));
  });

  test("match types with or without their beginning, whole segments only", () => {
    const matches = (type: string) => matchesEvent(event, "g", { types: [type] });
    for (const type of [
      "dev.wharf.iam.group.created.v1",
      "iam.group.created.v1",
      "iam.group.*",
      "*.created.*",
      "*",
      "v1",
    ]) {
      assert.ok(matches(type), type);
    }
    for (const type of [
      "am.group.created.v1",
      "iam.group",
      "iam.role.*",
      "iamXgroup.*",
      "",
      "[a-z]+",
    ]) {
      assert.ok(!matches(type), type);
    }
    assert.ok(matchesEvent(event, "g", { types: ["no.*", "iam.*"] }));
  });

  test("meet all conditions", () => {
    assert.ok(matchesEvent(event, "g", { subject: "g/h/i", actor: "me", types: ["iam.*"] }));
    assert.ok(!matchesEvent(event, "g", { subject: "g/h" }));
    assert.ok(!matchesEvent(event, "g", { actor: "you" }));
    assert.ok(!matchesEvent(event, "g", { subject: "g/h/i", actor: "you" }));
  });

  test("patterns from URLs are no regular expressions", () => {
    for (const type of ["(", "[", "a{", "\\", "?", "+", "(a+)+$"]) {
      assert.equal(matchesEvent(event, "g", { types: [type] }), false, type);
    }
  });
});
