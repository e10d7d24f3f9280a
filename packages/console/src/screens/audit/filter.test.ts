import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FILTERS, filterOf, optionsOf } from "./filter.ts";
import { countLines } from "./lines.ts";

describe("the audit filter of a URL", () => {
  test("is that of the group without any", () => {
    assert.deepEqual(filterOf("g", {}), { resource: "g" });
  });

  test("has every filter of the form", () => {
    const search = {
      method: "wharf.iam.v2beta1.Groups/Create",
      outcome: "denied",
      since: "2026-01-02T00:00:00Z",
      until: "2026-01-03T00:00:00Z",
      actor: "a",
      resource: "g/h",
      address: "192.0.2.1",
      via: "console",
      session: "s",
      request: "r",
    };
    assert.deepEqual(Object.keys(search).sort(), FILTERS.map(({ name }) => name).sort());
    assert.deepEqual(filterOf("g", search), {
      method: search.method,
      outcome: "AUDIT_OUTCOME_DENIED",
      since: "2026-01-02T00:00:00.000Z",
      until: "2026-01-03T00:00:00.000Z",
      actor: "a",
      resource: "g/h",
      sourceAddress: "192.0.2.1",
      via: "console",
      session: "s",
      requestId: "r",
    });
  });

  test("ignores outcomes and times that do not exist", () => {
    for (const outcome of ["", "DENIED", "toString", "__proto__"]) {
      assert.equal(filterOf("g", { outcome }).outcome, undefined, outcome);
    }
    assert.deepEqual(filterOf("g", { since: "then", until: "" }), { resource: "g" });
  });

  test("is written as options of the command", () => {
    assert.equal(optionsOf({ resource: "g" }), "--resource g");
    assert.equal(
      optionsOf({ actor: "it's me", outcome: "AUDIT_OUTCOME_FAILED", requestId: "r-1" }),
      `--actor 'it'\\''s me' --request-id r-1 --outcome failed`,
    );
    assert.equal(optionsOf({}), "");
  });
});

test("lines of an export are counted with or without a last line end", () => {
  assert.deepEqual(["", "a", "a\n", "a\nb", "a\nb\n", "\n"].map(countLines), [1, 1, 1, 2, 2, 1]);
});
