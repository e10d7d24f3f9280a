import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicAddress } from "./ip-ranges.ts";

/** The first and the last address of each range of the special-purpose registries (RFC 6890) that is not public. */
const NOT_PUBLIC = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
  ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
] as const;

for (const [first, last] of NOT_PUBLIC) {
  test(`${first} to ${last} is not public`, () => {
    assert.deepEqual([isPublicAddress(first), isPublicAddress(last)], [false, false]);
  });
}

/** The neighbors of these ranges: a range that is too wide would cut off real hosts. */
const PUBLIC = [
  ["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"],
  ["128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"],
  ["191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0"],
  ["192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255"],
  ["198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255"],
  ["2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "2606:4700::1111"],
  ["3ffe::", "3fff:1000::"],
].flat();

test("their neighbors are public", () => {
  for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address);
});

test("IPv4 addresses within IPv6 are not public, whatever they map to", () => {
  for (const address of ["::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "not an address"])
    assert.equal(isPublicAddress(address), false, address);
});
