import assert from "node:assert/strict";
import { test } from "node:test";
import { clientNetwork, wideClientNetwork } from "./client-network.ts";

for (const [address, network] of [
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::FFFF:192.0.2.7", "192.0.2.7"],
  ["::ffff:c000:207", "192.0.2.7"],
  ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
  ["64:ff9b::192.0.2.7", "192.0.2.7"],
  ["64:ff9b::c000:207", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8::ffff:192.0.2.7", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", ""],
  ["unix:socket", "unix:socket"],
] as const) {
  test(`${address || "no address"} counts as ${network || "itself"}`, () => {
    assert.equal(clientNetwork(address), network);
  });
}

test("addresses of one /64 share a network, those of two do not", () => {
  assert.equal(clientNetwork("fd12:3456::1"), clientNetwork("fd12:3456::ffff:ffff:ffff:ffff"));
  assert.notEqual(clientNetwork("fd12:3456::1"), clientNetwork("fd12:3456:0:1::1"));
});

for (const [address, network] of [
  ["192.0.2.7", "192.0.2.0/24"],
  ["::ffff:192.0.2.7", "192.0.2.0/24"],
  ["2001:db8:1:2ff:3:4:5:6", "2001:db8:1:200::/56"],
  ["2001:db8:1:ff::", "2001:db8:1:0::/56"],
  ["::1", "0:0:0:0::/56"],
  ["", ""],
  ["unix:socket", "unix:socket"],
] as const) {
  test(`${address || "no address"} belongs to the site ${network || "without a name"}`, () => {
    assert.equal(wideClientNetwork(address), network);
  });
}
