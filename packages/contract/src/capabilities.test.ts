import assert from "node:assert/strict";
import { test } from "node:test";
import { builtinRole } from "./builtin-roles.ts";
import {
  ALL_CAPABILITIES,
  Capability,
  capabilityBit,
  capabilityFromName,
  capabilityName,
  isInternalOnly,
  isOwnCapability,
  isReadOnly,
} from "./capabilities.ts";

/** Bits that once meant something, or never may. */
const RETIRED_BITS = [0, 40, 41, 135, 136, 143];

test("there are 217 capabilities, in the order of their numbers", () => {
  assert.equal(ALL_CAPABILITIES.length, 217);
  assert.deepEqual(
    ALL_CAPABILITIES,
    ALL_CAPABILITIES.toSorted((a, b) => a - b),
  );
  assert.ok(!ALL_CAPABILITIES.includes(Capability.UNKNOWN));
});

test("every capability has a name of its own that leads back to it", () => {
  for (const capability of ALL_CAPABILITIES) {
    assert.match(capabilityName(capability), /^[a-z_]+(\.[a-z_0-9]+)*$/);
    assert.equal(capabilityFromName(capabilityName(capability)), capability);
  }
});

test("every capability has a bit of its own, none retired; ours go down from 255", () => {
  const bits = ALL_CAPABILITIES.map(capabilityBit);
  assert.equal(new Set(bits).size, bits.length);
  const publicBits = ALL_CAPABILITIES.filter((one) => !isOwnCapability(one)).map(capabilityBit);
  assert.equal(Math.max(...publicBits), 221);
  assert.deepEqual(ALL_CAPABILITIES.filter(isOwnCapability).map(capabilityBit), [255]);
  for (const bit of RETIRED_BITS) assert.ok(!bits.includes(bit), `bit ${bit}`);
});

test("unknown names have no capability", () => {
  for (const name of ["", "groups", "groups.List", "CAP_IAM_GROUPS_LIST", "__proto__"]) {
    assert.equal(capabilityFromName(name), undefined);
  }
});

test("numbers that do not exist have neither name nor bit", () => {
  assert.equal(capabilityName(9999 as Capability), "9999");
  assert.equal(capabilityBit(9999 as Capability), 0);
  assert.equal(capabilityBit(Capability.UNKNOWN), 0);
});

test("some capabilities are for the installation's own services only", () => {
  assert.ok(isInternalOnly(Capability.CAP_REPO_INTERNAL_ADMIN));
  assert.ok(!isInternalOnly(Capability.CAP_REPO_UPDATE));
  assert.equal(ALL_CAPABILITIES.filter(isInternalOnly).length, 39);
});

test("roles that only view hold capabilities that only read, and all others do not", () => {
  const canWrite = (role: string) =>
    !builtinRole(role)?.capabilities.every((capability) => isReadOnly(capability));
  for (const role of ["viewer", "console_viewer", "registry.pull"])
    assert.ok(!canWrite(role), role);
  for (const role of ["editor", "owner", "limited_owner", "registry.push"]) {
    assert.ok(canWrite(role), role);
  }
  assert.equal(isReadOnly(Capability.CAP_INTERNAL), false);
  assert.equal(isReadOnly(999_999 as Capability), false);
});
