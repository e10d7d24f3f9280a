import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assignViolations, messageOf } from "./violations.ts";

const violation = (field: string, description = `${field} is wrong`) => ({ field, description });

describe("field violations", () => {
  test("are shown at the control of the same name", () => {
    const { problems, unassigned } = assignViolations(
      [violation("name"), violation("description")],
      ["description", "name", "other"],
    );
    assert.deepEqual(problems, {
      name: "name is wrong",
      description: "description is wrong",
    });
    assert.deepEqual(unassigned, []);
  });

  test("of nested fields and items are shown at the innermost name that the form has", () => {
    const controls = ["issuer", "oidc", "aliases", "claims"];
    const fields = ["claimMatch.issuer", "oidc.clientId", "aliases[3]", "claims[a.b].name", "a.b"];
    const { problems, unassigned } = assignViolations(
      fields.map((one) => violation(one)),
      controls,
    );
    assert.deepEqual(Object.keys(problems).sort(), ["aliases", "claims", "issuer", "oidc"]);
    assert.equal(problems.oidc, "oidc.clientId is wrong");
    assert.deepEqual(
      unassigned.map(({ field }) => field),
      ["a.b"],
    );
  });

  test("prefer the inner of two controls", () => {
    const { problems } = assignViolations([violation("oidc.issuer")], ["oidc", "issuer"]);
    assert.deepEqual(Object.keys(problems), ["issuer"]);
  });

  test("show the first of several problems of one field", () => {
    const { problems } = assignViolations(
      [violation("name", "first"), violation("name", "second")],
      ["name"],
    );
    assert.deepEqual(problems, { name: "first" });
  });

  test("are not lost if no control has their name", () => {
    const some = [violation(""), violation("updateMask"), violation("Name")];
    assert.deepEqual(
      assignViolations(some, ["name", ""]).unassigned.map(({ field }) => field),
      ["updateMask", "Name"],
    );
    assert.deepEqual(assignViolations(some, []).unassigned, some);
  });

  test("of names that objects inherit change nothing but their own control", () => {
    const { problems } = assignViolations([violation("__proto__")], ["__proto__"]);
    assert.deepEqual(Object.getOwnPropertyNames(problems), ["__proto__"]);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});

describe("messages of problems", () => {
  test("never contain a regular expression", () => {
    assert.equal(messageOf('name must match "^[a-z0-9 ._-]{1,}$"', "not allowed"), "not allowed");
    assert.equal(
      messageOf('description must match "^(?:[^\\x00-\\x1f]|[\\t\\n]){0,512}$"', "not allowed"),
      "not allowed",
    );
  });

  test("stay as the server wrote them otherwise", () => {
    for (const text of ["name is required", "must match the issuer", ""]) {
      assert.equal(messageOf(text, "not allowed"), text);
    }
  });
});
