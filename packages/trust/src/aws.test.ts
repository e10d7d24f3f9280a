import assert from "node:assert/strict";
import { test } from "node:test";
import { aws } from "./aws.ts";
import { optionOf, problemsOf, trustOf, type Values } from "./platform.ts";

const ROLE = { awsAccount: "123456789012", awsName: "dep.loyer", userId: "AROAEXAMPLE" };
const USER = {
  principal: "user",
  awsAccount: "123456789012",
  awsName: "me",
  userId: "AIDAEXAMPLE",
};

const whole = (pattern = "") => new RegExp(`^(?:${pattern})$`, "s");

test("a role is trusted in any session, by its name and its unique ID", () => {
  const { awsIdentity } = trustOf(aws, ROLE).relationship;
  const arn = whole(awsIdentity?.arnPattern);
  assert.match("arn:aws:sts::123456789012:assumed-role/dep.loyer/session", arn);
  assert.match("arn:aws-us-gov:sts::123456789012:assumed-role/dep.loyer/session", arn);
  for (const other of [
    "arn:aws:sts::123456789012:assumed-role/depXloyer/session",
    "arn:aws:sts::123456789012:assumed-role/dep.loyer2/session",
    "arn:aws:sts::123456789012:assumed-role/dep.loyer",
    "arn:aws:sts::999999999999:assumed-role/dep.loyer/session",
    "arn:aws:iam::123456789012:user/dep.loyer",
  ]) {
    assert.doesNotMatch(other, arn);
  }
  assert.match("AROAEXAMPLE:session", whole(awsIdentity?.userIdPattern));
  assert.doesNotMatch("AROAEXAMPLE2:session", whole(awsIdentity?.userIdPattern));
});

test("a user is trusted below any path", () => {
  const { awsIdentity } = trustOf(aws, USER).relationship;
  assert.equal(awsIdentity?.userId, "AIDAEXAMPLE");
  assert.match("arn:aws:iam::123456789012:user/me", whole(awsIdentity?.arnPattern));
  assert.match("arn:aws:iam::123456789012:user/team/me", whole(awsIdentity?.arnPattern));
  assert.doesNotMatch("arn:aws:iam::123456789012:user/team/notme", whole(awsIdentity?.arnPattern));
});

test("values of no account, or of the other kind, are problems", () => {
  const fields = (values: Values) => Object.keys(problemsOf(aws, { ...ROLE, ...values }));
  for (const awsAccount of ["12345678901", "1234-5678-9012", ".+"]) {
    assert.deepEqual(fields({ awsAccount }), ["awsAccount"], awsAccount);
  }
  for (const awsName of ["path/name", "a b", "*", "a".repeat(65)]) {
    assert.deepEqual(fields({ awsName }), ["awsName"], awsName);
  }
  for (const userId of ["AIDAEXAMPLE", "AROA", "AROA.+", "AROAexample", "AROAEXAMPLE:session"]) {
    assert.deepEqual(fields({ userId }), ["userId"], userId);
  }
  assert.deepEqual(fields({ principal: "user" }), ["userId"]);
  assert.deepEqual(fields({ userId: "" }), []);
  assert.equal(optionOf(aws, "awsName", { principal: "user" }), "aws-user");
  assert.match(
    trustOf(aws, { ...USER, userId: "" }).warnings.join(),
    /name of the user is checked/,
  );
});
