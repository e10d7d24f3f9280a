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

test("an issuer that is denied stays so however it is spelled", () => {
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

test("what names no issuer is never trusted", () => {
  const odd = [
    "issuer.example",
    "https://a.example?",
    "https://a.example/x/..",
    "https://u@a.example",
  ];
  for (const policy of [policyOf({}), policyOf({ trustedIssuers: odd })])
    for (const issuer of odd) assert.equal(policy.mayTrust(issuer), false, issuer);
});

test("only spellings that are listed are trusted where there is a list", () => {
  const policy = policyOf({ trustedIssuers: ["https://trusted.example"] });
  assert.equal(policy.mayTrust("https://trusted.example"), true);
  assert.equal(policy.mayTrust("https://trusted.example/"), false);
});

test("a private issuer's documents may be beside it, whoever else names them", async () => {
  const policy = policyOf({ privateIssuers: [PRIVATE] });
  const beside = "http://issuer.internal:8443/keys";
  assert.equal(policy.mayBePrivate(PRIVATE), true);
  assert.equal(policy.mayBePrivate(beside, PRIVATE), true);
  assert.equal(policy.mayBePrivate("http://other.internal/keys", PRIVATE), false);
  assert.equal(policy.mayBePrivate(beside, "https://hostile.example"), false);
  const ofHostile = guardedFetch(policy, "https://hostile.example");
  await assert.rejects(ofHostile(beside, { method: "POST" }), /only https is trusted/);
});

test("issuers on this machine name no other place, and others none on it", () => {
  const policy = policyOf({ onLoopback: true });
  assert.equal(policy.mayBePrivate("http://127.0.0.1:9/keys", "http://localhost:9"), true);
  assert.equal(policy.mayBePrivate("http://10.0.0.1/keys", "http://localhost:9"), false);
  assert.equal(policy.mayBePrivate("http://127.0.0.1:9/keys", "https://hostile.example"), false);
});

test("a server behind a proxy on its machine is not for this machine only", () => {
  const listen = (host: string) => ({ host, port: 8080 });
  const settings = { listen: listen("127.0.0.1"), baseUrl: "", authUrl: "" };
  assert.equal(servesThisMachineOnly(settings), true);
  assert.equal(servesThisMachineOnly({ ...settings, baseUrl: "http://localhost:8080" }), true);
  assert.equal(servesThisMachineOnly({ ...settings, baseUrl: "http://[::1]:8080" }), true);
  assert.equal(servesThisMachineOnly({ ...settings, listen: listen("0.0.0.0") }), false);
  assert.equal(servesThisMachineOnly({ ...settings, baseUrl: "https://wharf.example" }), false);
  assert.equal(servesThisMachineOnly({ ...settings, authUrl: "https://auth.example" }), false);
});
