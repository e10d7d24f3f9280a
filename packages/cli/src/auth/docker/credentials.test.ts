import assert from "node:assert/strict";
import { test } from "node:test";
import { registriesOf, registryOf } from "./credentials.ts";

test("registries are hosts, with commas", () => {
  assert.deepEqual(registriesOf({ registry: "CR.example, two.example:5000,," }), [
    "cr.example",
    "two.example:5000",
  ]);
});

test("an address belongs to the registry of its host, or of one above it", () => {
  const ours = ["cr.example", "two.example:5000"];
  for (const [address, registry] of [
    ["cr.example", "cr.example"],
    ["https://CR.example/v1/", "cr.example"],
    ["https://cr.example:443", "cr.example"],
    ["eu.cr.example", "cr.example"],
    ["two.example:5000", "two.example:5000"],
    ["two.example", undefined],
    ["cr.example:5000", undefined],
    ["xcr.example", undefined],
    ["cr.example.evil", undefined],
    ["cr.example@evil.example", undefined],
    ["https://cr.example:x@evil.example", undefined],
    ["", undefined],
  ] as const) {
    assert.equal(registryOf(address, ours), registry, address);
  }
});
