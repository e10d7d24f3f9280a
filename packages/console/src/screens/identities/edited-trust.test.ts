import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { IdentityJson } from "@wharf/contract/messages";
import { claimLines, claimsProblem, editedTrust } from "./edited-trust.ts";
import { expectedOf, isUnused, kindOf, matches, PULL_TOKEN_ISSUER } from "./trust.ts";

const text =
  (values: Readonly<Record<string, string>>) =>
  (name: string): string =>
    values[name] ?? "";

describe("the edited trust of an identity", () => {
  test("has the values or patterns that the form has", () => {
    const identity: IdentityJson = { claimMatch: { issuer: "https://i", subjectPattern: "a.*" } };
    const [field, edited] = editedTrust(
      identity,
      text({ issuer: "https://j", subjectPattern: "b.*", audience: "" }),
    );
    assert.equal(field, "claim_match");
    assert.deepEqual(edited, {
      claimMatch: { issuer: "https://j", subjectPattern: "b.*", claims: {}, claimPatterns: {} },
    });
  });

  test("has all claims of the form, and none that were removed", () => {
    const identity: IdentityJson = { claimMatch: { claims: { a: "1", b: "2" } } };
    const [, edited] = editedTrust(
      identity,
      text({ claims: "a=3\n\n c = d=e ", claimPatterns: "ref=refs/.*" }),
    );
    assert.deepEqual(edited.claimMatch?.claims, { a: "3", c: "d=e" });
    assert.deepEqual(edited.claimMatch?.claimPatterns, { ref: "refs/.*" });
  });

  test("is not sent with a malformed claim, without which more tokens were trusted", () => {
    const identity: IdentityJson = { claimMatch: {} };
    for (const claims of ["repository", "=x", "a=1\na=2"]) {
      assert.throws(() => editedTrust(identity, text({ claims })), /NAME=VALUE/, claims);
      assert.match(claimsProblem(claims) ?? "", /^Must be one NAME=VALUE per line/);
    }
    assert.equal(claimsProblem("a=1\nb=2"), undefined);
    assert.equal(claimsProblem(""), undefined);
  });

  test("claims survive the form", () => {
    const claims = { sub: "x", "https://example.com/groups": "a=b", ref: "refs/heads/main" };
    const [, edited] = editedTrust({ claimMatch: {} }, text({ claims: claimLines(claims) }));
    assert.deepEqual(edited.claimMatch?.claims, claims);
    assert.equal(claimLines(undefined), "");
  });

  test("of keys keeps the exact expiration if its day stays", () => {
    const identity: IdentityJson = {
      staticKeys: { issuer: "i", subject: "s", expirationTime: "2026-05-06T07:08:09Z" },
    };
    const values = { issuer: "i", subject: "s", issuerKeys: "{}" };
    const expirationOn = (expirationTime: string) =>
      editedTrust(identity, text({ ...values, expirationTime }))[1].staticKeys?.expirationTime;
    assert.equal(expirationOn("2026-05-06"), "2026-05-06T07:08:09Z");
    assert.equal(expirationOn("2026-05-07"), "2026-05-07T00:00:00Z");
    assert.equal(expirationOn(""), undefined);
  });

  test("of keys has an audience only if one is entered", () => {
    const identity: IdentityJson = { staticKeys: { issuer: PULL_TOKEN_ISSUER } };
    const values = { issuer: "i", subject: "s", issuerKeys: "{}" };
    const [field, { staticKeys }] = editedTrust(identity, text({ ...values, audience: "api" }));
    assert.equal(field, "static_keys");
    assert.deepEqual(staticKeys, { ...values, audiences: ["api"] });
    assert.deepEqual(editedTrust(identity, text(values))[1].staticKeys, values);
  });

  test("of AWS and of people", () => {
    assert.deepEqual(
      editedTrust(
        { awsIdentity: { awsAccount: "1" } },
        text({ awsAccount: "2", arn: "arn:x", userIdPattern: "A.*" }),
      ),
      ["aws_identity", { awsIdentity: { awsAccount: "2", arn: "arn:x", userIdPattern: "A.*" } }],
    );
    assert.deepEqual(editedTrust({}, text({ issuer: "x" })), ["", {}]);
  });
});

describe("the trust of an identity", () => {
  test("names its kind", () => {
    const kinds: readonly (readonly [IdentityJson, string])[] = [
      [{ claimMatch: {} }, "claimMatch"],
      [{ staticKeys: {} }, "staticKeys"],
      [{ staticKeys: { issuer: PULL_TOKEN_ISSUER } }, "pullToken"],
      [{ awsIdentity: {} }, "awsIdentity"],
      [{ servicePrincipal: "COSIGNED" as never }, "servicePrincipal"],
      [{}, "person"],
    ];
    for (const [identity, kind] of kinds) assert.equal(kindOf(identity), kind);
  });

  test("expects a value before a pattern, and nothing where neither is set", () => {
    assert.deepEqual(expectedOf({ claimMatch: { issuer: "i", subjectPattern: "s.*" } }), {
      issuer: { text: "i", isPattern: false },
      subject: { text: "s.*", isPattern: true },
      audience: undefined,
    });
    assert.deepEqual(
      expectedOf({ staticKeys: { issuer: "i", subject: "s", audiences: ["a", "b"] } }),
      {
        issuer: { text: "i", isPattern: false },
        subject: { text: "s", isPattern: false },
        audience: { text: "a", isPattern: false },
      },
    );
    assert.deepEqual(expectedOf({ awsIdentity: { awsAccount: "1", arnPattern: "arn:.*" } }), {
      issuer: { text: "1", isPattern: false },
      subject: { text: "arn:.*", isPattern: true },
    });
  });

  test("matches whole values", () => {
    const pattern = { text: "repo:acme/.*", isPattern: true };
    assert.equal(matches(pattern, "repo:acme/app"), true);
    assert.equal(matches(pattern, "x repo:acme/app"), false);
    assert.equal(matches({ text: "a|b", isPattern: true }, "ab"), false);
    assert.equal(matches({ text: "a.c", isPattern: false }, "abc"), false);
    assert.equal(matches({ text: "a.c", isPattern: true }, "a\nc"), true);
  });

  test("leaves to the server what a browser cannot decide", () => {
    assert.equal(matches({ text: "(?i)x", isPattern: true }, "x"), undefined);
    assert.equal(matches({ text: "[", isPattern: true }, "x"), undefined);
    assert.equal(matches({ text: "(a+)+$", isPattern: true }, "a".repeat(301)), undefined);
  });

  test("was never used if its last use is its creation", () => {
    assert.ok(isUnused({ lastSeenTime: "t", createTime: "t" }));
    assert.ok(!isUnused({ lastSeenTime: "u", createTime: "t" }));
  });
});
