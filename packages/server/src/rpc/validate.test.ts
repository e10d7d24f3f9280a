import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { RepoSchema } from "@wharf/contract";
import { WharfError } from "../lib/errors.ts";
import { validate } from "./validate.ts";

/** The fields of a repo that are rejected. */
function rejectedIn(fields: MessageInitShape<typeof RepoSchema>): string[] {
  try {
    validate(RepoSchema, create(RepoSchema, { name: "app", ...fields }));
    return [];
  } catch (thrown) {
    assert.ok(thrown instanceof WharfError && thrown.detail && "badRequest" in thrown.detail);
    return thrown.detail.badRequest.map(({ field }) => field);
  }
}

test("text has no NUL, also in lists and maps and as their keys", () => {
  const [good, bad] = ["a", "a\0b"];
  for (const [text, expected] of [
    [good, []],
    [bad, ["customOverlay.contents.packages"]],
  ] as const)
    assert.deepEqual(rejectedIn({ customOverlay: { contents: { packages: [text] } } }), expected);
  for (const environment of [{ [bad]: good }, { [good]: bad }])
    assert.deepEqual(rejectedIn({ customOverlay: { environment } }), ["customOverlay.environment"]);
  assert.deepEqual(rejectedIn({ customOverlay: { environment: { [good]: good } } }), []);
  assert.deepEqual(rejectedIn({ syncConfig: { source: "s", google: bad } }), [
    "sync_config.google",
  ]);
});

test("text without a limit of its own has at most 4,096 characters", () => {
  const google = "x".repeat(4_096);
  assert.deepEqual(rejectedIn({ syncConfig: { source: "s", google } }), []);
  assert.deepEqual(rejectedIn({ syncConfig: { source: "s", google: `${google}x` } }), [
    "sync_config.google",
  ]);
});

test("messages in lists are validated, and named by their position", () => {
  const [named, nameless] = [{ username: "ada" }, {}];
  const users = [named, nameless, named, nameless];
  assert.deepEqual(rejectedIn({ customOverlay: { accounts: { users } } }), [
    "customOverlay.accounts.users[1].username",
    "customOverlay.accounts.users[3].username",
  ]);
});
