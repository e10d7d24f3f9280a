import assert from "node:assert/strict";
import { test } from "node:test";
import { PingService } from "@wharf/contract";
import { Health } from "@wharf/contract/gen/health/v1/health_pb.js";
import type { Authenticator } from "../auth/authenticator.ts";
import { ServedMethods } from "./methods.ts";

const unused = {} as Authenticator;

test("a method without an access rule stops the server from starting", () => {
  assert.throws(() => new ServedMethods([Health], new Map(), unused), /has no access rule/);
});

test("a method is found under every name of its service", () => {
  const methods = new ServedMethods([PingService], new Map(), unused);
  const own = methods.find("/wharf.ping.v2beta1.PingService/Ping");
  assert.ok(own);
  assert.equal(methods.find("/wharf.ping.v2.PingService/Ping"), own);
  assert.equal(methods.find("/chainguard.platform.ping.v2beta1.PingService/Ping"), own);
  assert.equal(methods.find("/chainguard.platform.ping.v2.PingService/Ping"), own);
  assert.equal(methods.find("/wharf.ping.v2beta1.PingService/Pong"), undefined);
});

test("a method without a handler is known but not served", () => {
  const [ping] = new ServedMethods([PingService], new Map(), unused);
  assert.equal(ping?.served, false);
});
