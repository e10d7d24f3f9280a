import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  AbortedError,
  AlreadyExistsError,
  CODES,
  createWharf,
  FailedPreconditionError,
  InvalidArgumentError,
  NotFoundError,
  PermissionDeniedError,
  ResourceExhaustedError,
  UnauthenticatedError,
  UnavailableError,
  type Wharf,
  WharfError,
  wharfError,
} from "@wharf/client";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { PROTOCOLS, transportOf } from "./support/recording-client.ts";

const DOMAIN = "iam.wharf.internal";
const UNKNOWN_UID = "f".repeat(40);

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

async function failureOf(promise: Promise<unknown>): Promise<WharfError> {
  const error = await promise.then(
    () => assert.fail("it was allowed"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof WharfError, String(error));
  assert.equal(error.number, CODES[error.code].number);
  return error;
}

for (const protocol of PROTOCOLS) {
  describe(`errors over ${protocol}`, () => {
    let wharf: Wharf;
    let org: string;
    before(async () => {
      const transport = transportOf(protocol);
      wharf = createWharf({ baseUrl: server.url, token: await server.token(), transport });
      org = (await wharf.groups.create({ group: { name: protocol.toLowerCase() } })).uid;
    });
    const fromServer = (error: WharfError) => {
      assert.equal(error.httpStatus, CODES[error.code].http);
      assert.deepEqual([error.reason, error.domain], [error.code, DOMAIN]);
      assert.match(error.requestId ?? "", /^[0-9a-f]+-\d+$/);
    };

    test("what is not there", async () => {
      const error = await failureOf(wharf.groups.get({ uid: UNKNOWN_UID }));
      assert.ok(error instanceof NotFoundError);
      fromServer(error);
      assert.deepEqual(error.resource, { type: `${DOMAIN}/Group`, name: UNKNOWN_UID });
      assert.equal(error.message, `Not found: Group "${UNKNOWN_UID}" does not exist`);
      assert.equal(String(error), `NotFoundError: ${error.message}`);
    });

    test("what cannot be accepted", async () => {
      const error = await failureOf(wharf.groups.create({ group: { name: "Not This!" } }));
      assert.ok(error instanceof InvalidArgumentError);
      fromServer(error);
      assert.deepEqual(
        error.fieldViolations.map(({ field }) => field),
        ["name"],
      );
      assert.match(error.fieldViolations[0]?.description ?? "", /must match/);
    });

    test("a missing UID has the same error", async () => {
      const error = await failureOf(wharf.groups.get({ uid: "" }));
      assert.ok(error instanceof InvalidArgumentError);
      assert.deepEqual(error.fieldViolations, [{ field: "uid", description: "uid is required" }]);
      assert.equal(error.message, "Invalid argument: uid: uid is required");
    });

    test("what the state of things forbids", async () => {
      await wharf.groups.create({ parent: org, group: { name: "child" } });
      const error = await failureOf(wharf.groups.delete({ uid: org }));
      assert.ok(error instanceof FailedPreconditionError);
      fromServer(error);
      assert.deepEqual(
        error.preconditionViolations.map(({ type }) => type),
        ["RESOURCE_NOT_EMPTY"],
      );
    });

    test("what exists already", async () => {
      const request = { parent: org, accountAssociation: { name: "accounts" } };
      await wharf.accountAssociations.create(request);
      const error = await failureOf(wharf.accountAssociations.create(request));
      assert.ok(error instanceof AlreadyExistsError);
      fromServer(error);
      assert.equal(error.resource?.name, org);
    });

    test("what has changed meanwhile", async () => {
      const value = { issuer: "https://a.example", clientId: "a", pkceEnabled: true };
      const configuration = { case: "oidc", value } as const;
      const { roles } = await wharf.roles.list({ name: "viewer" });
      const defaultRole = roles[0]?.uid ?? "";
      const identityProvider = { name: "idp", defaultRole, configuration };
      const { uid } = await wharf.identityProviders.create({ parent: org, identityProvider });
      await wharf.identityProviders.generateScimToken({ identityProviderUid: uid });
      const stale = { identityProviderUid: uid, etag: "stale" };
      const error = await failureOf(wharf.identityProviders.regenerateScimToken(stale));
      assert.ok(error instanceof AbortedError);
      fromServer(error);
    });

    test("who may not", async () => {
      const value = { iss: { case: "issuer", value: "https://a.example" } } as const;
      const sub = { case: "subject", value: "a" } as const;
      const relationship = { case: "claimMatch", value: { ...value, sub } } as const;
      const identity = { name: "nobody", relationship };
      const { uid } = await wharf.identities.create({ parent: org, identity });
      const token = await server.token(uid);
      const error = await failureOf(wharf.groups.get({ uid: org }, { token }));
      assert.ok(error instanceof PermissionDeniedError);
      fromServer(error);
      assert.match(error.message, /needs groups.list at/);
    });

    test("who is not known", async () => {
      const transport = transportOf(protocol);
      const anonymous = createWharf({ baseUrl: server.url, transport });
      for (const call of [
        () => anonymous.groups.list(),
        () => wharf.groups.list({}, { token: "not.a.token" }),
      ]) {
        const error = await failureOf(call());
        assert.ok(error instanceof UnauthenticatedError);
        fromServer(error);
      }
    });

    test("who is not there", async () => {
      const baseUrl = `http://127.0.0.1:${await freePort()}`;
      const nowhere = createWharf({ baseUrl, transport: transportOf(protocol), retries: 0 });
      const error = await failureOf(nowhere.groups.list());
      assert.ok(error instanceof UnavailableError);
      assert.match(error.message, /^Unavailable: no response from http:/);
      assert.ok(error.cause instanceof Error);
      assert.equal(error.requestId, undefined);
    });

    test("who gives up, and who has no time", async () => {
      const reason = new Error("enough");
      const controller = new AbortController();
      const given = wharf.groups.list({}, { signal: controller.signal });
      controller.abort(reason);
      await assert.rejects(given, (thrown) => thrown === reason);
      const late = await failureOf(wharf.groups.list({}, { timeoutMs: 0 }));
      assert.equal(late.code, "DEADLINE_EXCEEDED");
    });
  });
}

test("every code has a class of its own, by name", () => {
  const classes = new Set<unknown>();
  for (const code of Object.keys(CODES) as (keyof typeof CODES)[]) {
    const error = wharfError(code, "x");
    assert.ok(error instanceof WharfError);
    assert.equal(error.name, error.constructor.name);
    classes.add(error.constructor);
  }
  assert.equal(classes.size, Object.keys(CODES).length);
  assert.ok(wharfError("RESOURCE_EXHAUSTED", "x") instanceof ResourceExhaustedError);
});
