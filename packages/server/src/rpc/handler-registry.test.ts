import assert from "node:assert/strict";
import { test } from "node:test";
import { PingService, SessionsService } from "@wharf/contract";
import type { Handler } from "./call.ts";
import { HandlerRegistry } from "./handler-registry.ts";

const handler: Handler = async () => {
  throw new Error("not called");
};

test("a method has one handler", () => {
  const registry = new HandlerRegistry();
  registry.bind(PingService.method.ping, handler);
  assert.equal(registry.handlersOf([PingService]).get(PingService.method.ping), handler);
});

test("a method that is bound twice stops the startup", () => {
  const registry = new HandlerRegistry();
  registry.bind(PingService.method.ping, handler);
  assert.throws(() => registry.bindAll([[PingService.method.ping, handler]]), {
    message: `${PingService.typeName}/Ping is bound twice`,
  });
});

test("methods without a handler stop the startup, and the error names all of them", () => {
  const registry = new HandlerRegistry();
  registry.bind(SessionsService.method.logout, handler);
  assert.throws(
    () => registry.handlersOf([SessionsService]),
    /^Error: methods without a handler: .*SessionsService\/ListSessions, .*SessionsService\/EndSession, .*SessionsService\/GetCredentials$/,
  );
});
