import assert from "node:assert/strict";
import { test } from "node:test";
import { WharfError } from "../../lib/errors.ts";
import { readScopes } from "./scope.ts";

/** The parsed scopes, in a short form. */
function read(...texts: string[]): string[] {
  return readScopes(texts).map((scope) =>
    scope.type === "catalog" ? "catalog" : `${scope.name}:${[...scope.actions].join()}`,
  );
}

test("scopes are repeated parameters, or separated by spaces", () => {
  assert.deepEqual(read("repository:acme/app:pull", "repository:acme/lib:push"), [
    "acme/app:pull",
    "acme/lib:push",
  ]);
  assert.deepEqual(read("repository:acme/app:pull repository:acme/lib:push,pull"), [
    "acme/app:pull",
    "acme/lib:pull,push",
  ]);
  assert.deepEqual(read(), []);
  assert.deepEqual(read("", "  "), []);
});

test("scopes of one repository are merged", () => {
  assert.deepEqual(read("repository:acme/app:pull repository:acme/app:delete"), [
    "acme/app:pull,delete",
  ]);
});

test("a star stands for every action", () => {
  assert.deepEqual(read("repository:acme/app:*"), ["acme/app:pull,push,delete"]);
});

test("of registry scopes, only the whole catalog is known", () => {
  assert.deepEqual(read("registry:catalog:*"), ["catalog"]);
  assert.deepEqual(read("registry:catalog:pull", "registry:other:*", "registry:catalog"), []);
});

test("named actions differ from those that a star stands for", () => {
  const named = (text: string) =>
    readScopes([text]).flatMap((scope) => (scope.type === "repository" ? [...scope.named] : []));
  assert.deepEqual(named("repository:acme/app:pull,push"), ["pull", "push"]);
  assert.deepEqual(named("repository:acme/app:*"), []);
  assert.deepEqual(named("repository:acme/app:*,push repository:acme/app:pull"), ["push", "pull"]);
});

test("unknown actions are ignored", () => {
  assert.deepEqual(read("repository:acme/app:pull,admin,PULL,"), ["acme/app:pull"]);
  assert.deepEqual(read("repository:acme/app:"), ["acme/app:"]);
});

const IGNORED = [
  "repository",
  "repository:",
  "repository:acme/app",
  "repository::pull",
  ":acme/app:pull",
  "Repository:acme/app:pull",
  "repository(plugin):acme/app:pull",
  "artifact:acme/app:pull",
  "repository:app:pull",
  "repository:acme/App:pull",
  "repository:acme/../other/app:pull",
  "repository:acme/./app:pull",
  "repository:acme//app:pull",
  "repository:/acme/app:pull",
  "repository:acme/app/:pull",
  "repository:acme/app%2f:pull",
  "repository:acme/app\u0000:pull",
  "repository:acme/äpp:pull",
  "repository:registry.test:5000/acme/app:pull",
  "repository:acme/app:pull:push",
  "repository:acme/-app:pull",
  "repository:acme/app___x:pull",
  `repository:acme/${"a".repeat(251)}:pull`,
  `repository:${"a/".repeat(33)}a:pull`,
];

for (const text of IGNORED) {
  test(`${JSON.stringify(text.slice(0, 60))} is ignored`, () => {
    assert.deepEqual(read(text), []);
    assert.deepEqual(read(text, "repository:acme/app:pull"), ["acme/app:pull"]);
  });
}

test("too many scopes are rejected", () => {
  const many = Array.from({ length: 51 }, (_, at) => `repository:acme/app-${at}:pull`);
  assert.equal(readScopes(many.slice(1)).length, 50);
  const isInvalidArgument = (error: unknown) =>
    error instanceof WharfError && error.code === "INVALID_ARGUMENT";
  assert.throws(() => readScopes(many), isInvalidArgument);
  assert.throws(() => readScopes([many.join(" ")]), isInvalidArgument);
});

test("long invalid names are rejected quickly", () => {
  assert.deepEqual(read(`repository:acme/${"a-".repeat(2_000)}!:pull`), []);
  assert.deepEqual(read(`repository:acme/${"a".repeat(200)}${"-".repeat(40)}:pull`), []);
});
