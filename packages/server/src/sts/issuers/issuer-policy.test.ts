import assert from "node:assert/strict";
import { test } from "node:test";
import { servesThisMachineOnly } from "../../config/addresses.ts";
import { guardedFetch } from "../../login/providers/guarded-fetch.ts";
import { IssuerPolicy, type PolicySettings } from "./issuer-policy.ts";

const policyOf = (settings: Partial<PolicySettings>) =>
  new IssuerPolicy({
    trustedIssuers: [],
    deniedIssuers: [],
    privateIssuers: [],
    onLoopback: false,
    ...settings,
  });

const PRIVATE = "http://issuer.internal:8443/realm";

test("a denied issuer is denied in every spelling", () => {
  const policy = policyOf({ deniedIssuers: ["https://denied.example", "https://x.example/t/"] });
  for (const issuer of [
    "https://denied.example",
    "https://denied.example/",
    "https://DENIED.example",
    "https://denied.example:443//",
    "https://denied.example/a/..",
    "https://x.example/t",
  ]) {
    assert.equal(policy.mayTrust(issuer), false, issuer);
  }
  for (const issuer of ["https://denied.example/tenant", "http://denied.example"])
    assert.equal(policy.mayTrust(issuer), true, issuer);
});

test("an invalid issuer URL is never trusted", () => {
  const odd = [
    "issuer.example",
    "https://a.example?",
    "https://a.example/x/..",
    "https://u@a.example",
  ];
  for (const policy of [policyOf({}), policyOf({ trustedIssuers: odd })])
    for (const issuer of odd) assert.equal(policy.mayTrust(issuer), false, issuer);
});

test("a list of trusted issuers is compared exactly", () => {
  const policy = policyOf({ trustedIssuers: ["https://trusted.example"] });
  assert.equal(policy.mayTrust("https://trusted.example"), true);
  assert.equal(policy.mayTrust("https://trusted.example/"), false);
});

test("only a private issuer leads to documents at its own origin", async () => {
  const policy = policyOf({ privateIssuers: [PRIVATE] });
  const beside = "http://issuer.internal:8443/keys";
  assert.equal(policy.mayBePrivate(PRIVATE), true);
  assert.equal(policy.mayBePrivate(beside, PRIVATE), true);
  for (const other of [
    "http://other.internal:8443/keys",
    "http://issuer.internal:9000/keys",
    "https://issuer.internal:8443/keys",
  ])
    assert.equal(policy.mayBePrivate(other, PRIVATE), false, other);
  assert.equal(policy.mayBePrivate(beside, "https://hostile.example"), false);
  const ofHostile = guardedFetch(policy, "https://hostile.example");
  await assert.rejects(ofHostile(beside, { method: "POST" }), /only https is trusted/);
});

test("loopback issuers lead to loopback addresses only, and other issuers never do", () => {
  const policy = policyOf({ onLoopback: true });
  assert.equal(policy.mayBePrivate("http://127.0.0.1:9/keys", "http://localhost:9"), true);
  assert.equal(policy.mayBePrivate("http://10.0.0.1/keys", "http://localhost:9"), false);
  assert.equal(policy.mayBePrivate("http://127.0.0.1:9/keys", "https://hostile.example"), false);
});

test("a server behind a local proxy does not serve this machine only", () => {
  const listen = (host: string) => ({ host, port: 8080 });
  const settings = { listen: listen("127.0.0.1"), baseUrl: "", authUrl: "" };
  assert.equal(servesThisMachineOnly(settings), true);
  assert.equal(servesThisMachineOnly({ ...settings, baseUrl: "http://localhost:8080" }), true);
  assert.equal(servesThisMachineOnly({ ...settings, baseUrl: "http://[::1]:8080" }), true);
  assert.equal(servesThisMachineOnly({ ...settings, listen: listen("0.0.0.0") }), false);
  assert.equal(servesThisMachineOnly({ ...settings, baseUrl: "https://wharf.example" }), false);
  assert.equal(servesThisMachineOnly({ ...settings, authUrl: "https://auth.example" }), false);
});
