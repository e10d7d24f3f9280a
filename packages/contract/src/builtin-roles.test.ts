import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { DescService } from "@bufbuild/protobuf";
import { BUILTIN_ROLES, builtinRole, builtinRoleByUid } from "./builtin-roles.ts";
import { Capability, capabilityName, isInternalOnly } from "./capabilities.ts";
import * as contract from "./index.ts";
import { accessOf } from "./options.ts";
import { isRoot, isUid } from "./uid.ts";

/** The number of capabilities that the contract gives each role; 8 more for owner, see below. */
const SIZES: Readonly<Record<string, number>> = {
  console_viewer: 45,
  viewer: 51,
  editor: 62,
  owner: 146,
  auditor: 2,
  limited_owner: 53,
  "registry.pull": 10,
  "registry.push": 20,
  "registry.pull_token_creator": 15,
  "registry.editor": 15,
  "apk.pull": 3,
  "apk.push": 5,
  "guardener.user": 16,
  "guardener.admin": 18,
  "advisories.viewer": 1,
  "advisories.creator": 4,
  "advisories.approver": 5,
  "advisories.admin": 6,
  "actions.viewer": 1,
  "skills.publisher": 6,
  "mcp.tool_user": 1,
  "argos.operator": 3,
  "argos.osv.reader": 1,
  ...Object.fromEntries(
    ["java", "python", "javascript", "dotnet", "go"].flatMap((language) => [
      [`libraries.${language}.pull`, 2],
      [`libraries.${language}.push`, 3],
      [`libraries.${language}.pull_token_creator`, 6],
    ]),
  ),
};

const granted = (name: string) => new Set(builtinRole(name)?.capabilities);

test("each role has as many capabilities as the contract says", () => {
  const sizes = BUILTIN_ROLES.map((role) => [role.name, role.capabilities.length]);
  assert.deepEqual(Object.fromEntries(sizes), SIZES);
});

test("uids are flat, distinct, and made from the name", () => {
  for (const { uid, name } of BUILTIN_ROLES) {
    assert.ok(isUid(uid) && isRoot(uid));
    assert.equal(builtinRoleByUid(uid)?.name, name);
    if (name === "viewer") continue;
    const digest = createHash("sha256").update(`wharf built-in role ${name}`).digest("hex");
    assert.equal(uid, digest.slice(0, 40), name);
  }
  assert.equal(builtinRole("viewer")?.uid, "63921b2c44617e3f2603851537be0123af4a57d7");
});

test("descriptions say that the role is built in", () => {
  assert.equal(builtinRole("viewer")?.description, "Viewer Role (built-in)");
  for (const role of BUILTIN_ROLES) assert.match(role.description, /^\S.* Role \(built-in\)$/);
});

test("capabilities are in order and none is for internal use", () => {
  for (const { name, capabilities } of BUILTIN_ROLES) {
    const inOrder = capabilities.toSorted((a, b) => a - b);
    assert.deepEqual(capabilities, inOrder, name);
    assert.deepEqual(capabilities.filter(isInternalOnly).map(capabilityName), [], name);
  }
});

test("console_viewer, viewer, editor and owner each include the one before", () => {
  assert.ok(granted("viewer").isSupersetOf(granted("console_viewer")));
  assert.ok(granted("editor").isSupersetOf(granted("viewer")));
  assert.ok(granted("owner").isSupersetOf(granted("editor")));
});

test("owner holds every capability that a method takes, except those of the operator", () => {
  const services = Object.values(contract).filter((one) => (one as DescService).kind === "service");
  const needed = (services as DescService[])
    .flatMap(({ methods }) => methods)
    .flatMap((method) => {
      const access = accessOf(method);
      return access !== undefined && "capabilities" in access ? access.capabilities : [];
    });
  assert.ok(needed.length > 50);
  const missing = needed.filter((one) => !granted("owner").has(one) && !isInternalOnly(one));
  assert.deepEqual(missing.map(capabilityName), []);
  for (const { name } of BUILTIN_ROLES.filter((role) => role.name.startsWith("advisories."))) {
    assert.ok(granted("owner").isSupersetOf(granted(name)), `owners can grant ${name}`);
  }
});

test("roles without pull capabilities cannot get blobs", () => {
  assert.ok(!granted("console_viewer").has(Capability.CAP_REPO_BLOBS_GET));
  assert.ok(granted("viewer").has(Capability.CAP_REPO_BLOBS_GET));
});

test("a pull token creator cannot list the identities it made", () => {
  assert.ok(granted("registry.pull_token_creator").has(Capability.CAP_IAM_IDENTITY_CREATE));
  assert.ok(!granted("registry.pull_token_creator").has(Capability.CAP_IAM_IDENTITY_LIST));
});

test("unknown roles are not found", () => {
  assert.equal(builtinRole("constructor"), undefined);
  assert.equal(builtinRoleByUid("viewer"), undefined);
});
