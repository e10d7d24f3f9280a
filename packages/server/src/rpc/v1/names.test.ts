import assert from "node:assert/strict";
import { test } from "node:test";
import { invalidArgument, notFound, WharfError } from "../../lib/errors.ts";
import { renameFields } from "./names.ts";

test("violations have the field names of v1 anywhere in a path", () => {
  const names = { roleUid: "role", names: "ids", "uidp.childrenOf": "group", inner: "" };
  for (const [field, description, path, text] of [
    [
      "uid",
      "uid must be a UID: 40 hexadecimal characters, or a path of IDs",
      "id",
      "id must be a UID: 40 hexadecimal characters, or a path of IDs",
    ],
    ["roleUid", "roleUid is required", "role", "role is required"],
    ["names[3]", "names must be known", "ids[3]", "ids must be known"],
    [
      "uidp.childrenOf",
      "childrenOf must be a UID: 40 hexadecimal characters, or a path of IDs",
      "group",
      "group must be a UID: 40 hexadecimal characters, or a path of IDs",
    ],
    ["a.roleUid.b", "b is odd", "a.role.b", "b is odd"],
    ["a[uid].roleUid", "roleUid is odd", "a[uid].role", "role is odd"],
    ["a[x.uid.y]", "the uid is odd", "a[x.uid.y]", "the uid is odd"],
    ["names[3].inner.roleUid", "roleUid is odd", "ids[3].role", "role is odd"],
    ["inner.names[inner..x]", "names is odd", "ids[inner..x]", "ids is odd"],
    ["a.constructor", "toString is odd", "a.constructor", "toString is odd"],
    ["name", "name excludes roleUid", "name", "name excludes role"],
    ["name", "name is required", "name", "name is required"],
  ] as const) {
    assert.deepEqual(
      renameFields(invalidArgument({ field, description }), names),
      invalidArgument({ field: path, description: text }),
    );
  }
});

test("all violations are renamed, in details and in the message", () => {
  const error = renameFields(
    invalidArgument(
      {
        field: "uid",
        description: "uid must be a UID: 40 hexadecimal characters, or a path of IDs",
      },
      { field: "a.roleUid", description: "roleUid is odd" },
    ),
    { roleUid: "role" },
  );
  assert.ok(error instanceof WharfError);
  const message =
    "Invalid argument: id: id must be a UID: 40 hexadecimal characters, or a path of IDs; a.role: role is odd";
  assert.equal(error.message, message);
});

test("errors without violations stay as they are", () => {
  for (const thrown of [notFound("Role", "uid"), new Error("uid"), "uid"]) {
    assert.equal(renameFields(thrown, { uid: "id" }), thrown);
  }
});
