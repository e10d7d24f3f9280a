import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetes } from "./kubernetes.ts";
import { problemsOf, trustOf, type Values } from "./platform.ts";

const POD = { namespace: "prod", serviceAccount: "app" };
const CLUSTER = { ...POD, issuer: "https://oidc.example.com/cluster" };
const KEYS = '{"keys":[{"kty":"EC"}]}';

test("needs the issuer of the cluster or its keys: the default issuer is that of every cluster", () => {
  assert.deepEqual(problemsOf(kubernetes, POD), {
    issuer: "is required: the issuer URL of the cluster, unless its public keys are given",
  });
  assert.throws(() => trustOf(kubernetes, POD), TypeError);
  const subject = "system:serviceaccount:prod:app";
  assert.deepEqual(trustOf(kubernetes, CLUSTER).relationship.claimMatch, {
    issuer: "https://oidc.example.com/cluster",
    subject,
  });
  assert.deepEqual(trustOf(kubernetes, { ...POD, issuerKeys: KEYS }).relationship.staticKeys, {
    issuer: "https://kubernetes.default.svc.cluster.local",
    subject,
    issuerKeys: KEYS,
  });
});

test("names and URLs that no cluster has are problems", () => {
  const fields = (values: Values) => Object.keys(problemsOf(kubernetes, { ...CLUSTER, ...values }));
  for (const namespace of ["Prod", "a:b", "a.b", "-a", "a-", "a b", "a".repeat(64)]) {
    assert.deepEqual(fields({ namespace }), ["namespace"], namespace);
  }
  for (const serviceAccount of ["App", "a:b", "a/b", ".a", "*", "a".repeat(254)]) {
    assert.deepEqual(fields({ serviceAccount }), ["serviceAccount"], serviceAccount);
  }
  assert.deepEqual(fields({ serviceAccount: "a.b" }), []);
  for (const issuer of ["oidc.example.com", "https://a/?b", "https://a/../b", "ftp://a"]) {
    assert.deepEqual(fields({ issuer }), ["issuer"], issuer);
  }
  assert.deepEqual(fields({ issuerKeys: "no JSON" }), ["issuerKeys"]);
});

test("warns of the service account that every pod has", () => {
  assert.deepEqual(trustOf(kubernetes, CLUSTER).warnings, []);
  const shared = trustOf(kubernetes, { ...CLUSTER, serviceAccount: "default" });
  assert.match(shared.warnings.join(), /^every pod/);
});
