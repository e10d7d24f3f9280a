import assert from "node:assert/strict";
import { test } from "node:test";
import committed from "@wharf/contract/openapi.json" with { type: "json" };
import { errorExamples, exampleText, type OpenApi, readDocument } from "./document.ts";
import { snippetsOf } from "./snippets.ts";

const reference = readDocument(committed as unknown as OpenApi);

function operation(id: string) {
  const found = reference.operations.find(({ operationId }) => operationId === id);
  assert.ok(found, id);
  return found;
}

test("the variable of a create is called parent, in the path and among the parameters", () => {
  const { path, parameters } = operation("GroupsService_CreateGroup");
  assert.equal(path, "/iam/v2beta1/groups/{parent}");
  assert.equal(parameters[0]?.name, "parent");
  assert.equal(operation("GroupsService_GetGroup").parameters[0]?.name, "uid");
});

test("errors have examples by reason", () => {
  const { responses } = operation("GroupsService_DeleteGroup");
  const examples = Object.fromEntries(errorExamples(responses["400"] ?? {}, reference));
  assert.ok("RESOURCE_NOT_EMPTY" in examples);
  assert.equal((examples.RESOURCE_NOT_EMPTY as { code: number }).code, 9);
});

test("an example of a form is a form, also in the snippet for curl", () => {
  const type = "application/x-www-form-urlencoded";
  assert.equal(exampleText({ type, example: { aud: ["a", "b"], x: "&" } }), "aud=a&aud=b&x=%26");
  const { curl, cli } = snippetsOf(operation("SecurityTokenService_Exchange_Post"));
  assert.match(curl, / -d 'aud=https%3A%2F%2F/);
  assert.doesNotMatch(curl, /application\/json/);
  assert.doesNotMatch(cli, /--input/);
});
