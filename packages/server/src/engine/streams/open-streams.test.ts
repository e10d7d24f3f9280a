import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenStreams } from "./open-streams.ts";

/** A call of an identity of an organization. */
const callOf = (org: string, identity: number, remoteAddress: string) => ({
  caller: { uid: `${org.repeat(40)}/${identity.toString(16).padStart(16, "0")}` },
  remoteAddress,
});

/** Opens streams of identities of an organization, each with its own identity. */
function openMany(streams: OpenStreams, org: string, count: number, address: string) {
  return Array.from({ length: count }, (_, at) => streams.open(callOf(org, at, address)));
}

test("the newest of the largest organization ends for another one", () => {
  const streams = new OpenStreams(10, 50);
  const evil = openMany(streams, "e", 10, "192.0.2.1");
  const [victim] = openMany(streams, "a", 1, "192.0.2.1");
  assert.equal(victim?.ended, undefined);
  assert.deepEqual(
    evil.map(({ ended }) => ended?.code),
    [...Array(9).fill(undefined), "RESOURCE_EXHAUSTED"],
  );
  assert.equal(streams.size, 10);
});

test("the largest organization gets no more, from whatever networks", () => {
  const streams = new OpenStreams(10, 50);
  for (let at = 0; at < 9; at++) openMany(streams, "e", 1, `192.0.${at}.1`);
  openMany(streams, "a", 1, "198.51.100.1");
  assert.throws(() => openMany(streams, "e", 1, "203.0.113.1"), { code: "RESOURCE_EXHAUSTED" });
  assert.throws(() => streams.mustAdmit(callOf("e", 99, "203.0.113.1")));
  streams.mustAdmit(callOf("b", 0, "198.51.100.2"));
  openMany(streams, "b", 1, "198.51.100.2");
  assert.equal(streams.size, 10);
});

test("many organizations in one network are one holder", () => {
  const streams = new OpenStreams(10, 50);
  const evil = [..."0123456789"].flatMap((org) => openMany(streams, org, 1, "192.0.2.1"));
  const [victim] = openMany(streams, "a", 1, "198.51.100.1");
  assert.equal(victim?.ended, undefined);
  assert.equal(evil.filter(({ ended }) => ended !== undefined).length, 1);
});

test("a stream that ends is notified, and a closed one makes room", () => {
  const streams = new OpenStreams(2, 50);
  const [, second] = openMany(streams, "e", 2, "192.0.2.1");
  let notified = 0;
  second?.onEnd(() => {
    notified++;
  });
  const [victim] = openMany(streams, "a", 1, "192.0.2.1");
  assert.equal(notified, 1);
  if (victim !== undefined) streams.close(victim);
  openMany(streams, "e", 1, "192.0.2.1");
  assert.equal(streams.size, 2);
});

test("one caller has a bound of its own", () => {
  const streams = new OpenStreams(10, 2);
  const call = callOf("a", 1, "192.0.2.1");
  for (let at = 0; at < 2; at++) streams.open(call);
  assert.throws(() => streams.open(call), { code: "RESOURCE_EXHAUSTED" });
  streams.open(callOf("a", 2, "192.0.2.1"));
});
