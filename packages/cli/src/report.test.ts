import assert from "node:assert/strict";
import { test } from "node:test";
import { interrupted, usageError } from "./errors.ts";
import { problemOf } from "./problem.ts";
import { reportOf } from "./report.ts";
import { styleOf } from "./terminal/terminal.ts";

const PLAIN = { json: false, verbose: false, hasTokenVariable: false, style: styleOf(false) };

/** An error with the shape of the client's. */
function serverError(
  code: string,
  message: string,
  fieldViolations: object[] = [],
  preconditionViolations: object[] = [],
): Error {
  const facts = { name: "AnyError", code, fieldViolations, preconditionViolations };
  return Object.assign(new Error(message), facts);
}

test("each kind of error has its exit code", () => {
  for (const [code, exitCode] of [
    ["INVALID_ARGUMENT", 2],
    ["UNAUTHENTICATED", 3],
    ["PERMISSION_DENIED", 4],
    ["NOT_FOUND", 5],
    ["ALREADY_EXISTS", 6],
    ["FAILED_PRECONDITION", 6],
    ["ABORTED", 6],
    ["UNAVAILABLE", 7],
    ["DEADLINE_EXCEEDED", 7],
    ["INTERNAL", 1],
  ] as const) {
    assert.equal(problemOf(serverError(code, "x")).exitCode, exitCode, code);
  }
  assert.equal(problemOf(interrupted()).exitCode, 130);
  assert.equal(problemOf(usageError("x")).exitCode, 2);
  const settings = Object.assign(new Error("bad setting"), { name: "ConfigError" });
  assert.equal(problemOf(settings).exitCode, 2);
});

test("a failed precondition has a hint of its own", () => {
  const hintOf = (type: string) =>
    problemOf(serverError("FAILED_PRECONDITION", "x", [], [{ type }])).hint;
  assert.equal(hintOf("REVIEWER_IS_AUTHOR"), "ask another reviewer who holds advisories.approve");
  assert.equal(hintOf("RESOURCE_NOT_EMPTY"), "delete its contents first");
  assert.equal(hintOf("OF_A_NEWER_SERVER"), undefined);
});

test("who is denied learns whom to ask: the operator for what no role grants", () => {
  const hintOf = (message: string) =>
    problemOf(serverError("PERMISSION_DENIED", `Permission denied: ${message}`)).hint;
  assert.match(hintOf('needs tag.create at "x"') ?? "", /ask an owner/);
  for (const message of [
    "needs the operator's token",
    `needs repo.internal.admin at "x"; repo.internal.admin takes the operator's token`,
  ]) {
    assert.match(hintOf(message) ?? "", /ask the operator/);
  }
});

test("with WHARF_TOKEN, the hint is not to sign in, which would change nothing", () => {
  const ended = serverError("UNAUTHENTICATED", "Unauthenticated: the token has expired");
  assert.equal(
    reportOf(ended, PLAIN),
    "wharf: Unauthenticated: the token has expired\n  → sign in with `wharf auth login`, or set WHARF_TOKEN\n",
  );
  assert.equal(
    reportOf(ended, { ...PLAIN, hasTokenVariable: true }),
    "wharf: Unauthenticated: the token has expired\n  → WHARF_TOKEN is set: replace it, or unset it and sign in with `wharf auth login`\n",
  );
  const denied = serverError("PERMISSION_DENIED", "Permission denied: x");
  assert.equal(
    reportOf(denied, { ...PLAIN, hasTokenVariable: true }),
    reportOf(denied, PLAIN),
    "other hints stay",
  );
});

test("field violations have lines of their own and are not repeated", () => {
  const violations = [
    { field: "name", description: "is required" },
    { field: "ttl", description: "is too long" },
  ];
  const message = "Invalid argument: name: is required; ttl: is too long";
  assert.equal(
    reportOf(serverError("INVALID_ARGUMENT", message, violations), PLAIN),
    "wharf: Invalid argument\n  name: is required\n  ttl: is too long\n  → --help explains the options\n",
  );
});

test("a port in use is reported without a stack; an unexpected error with one", () => {
  const inUse = Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE" });
  assert.equal(reportOf(inUse, PLAIN), "wharf: listen EADDRINUSE\n");
  assert.match(reportOf(new TypeError("x is not a function"), PLAIN), /\n {4}at /);
});

test("errors as JSON are one line", () => {
  const report = reportOf(usageError("no\nway", "do this"), { ...PLAIN, json: true });
  assert.deepEqual(JSON.parse(report), {
    error: { message: "no\nway", exitCode: 2, hint: "do this" },
  });
  assert.equal(report.trimEnd().includes("\n"), false);
});
