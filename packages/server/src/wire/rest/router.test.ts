import assert from "node:assert/strict";
import { test } from "node:test";
import { Router } from "./router.ts";

const router = new Router<string>();
for (const [method, template] of [
  ["GET", "/iam/v2beta1/groups"],
  ["GET", "/iam/v2beta1/groups/{uid=**}"],
  ["POST", "/iam/v2beta1/groups/{parent=**}"],
  ["GET", "/iam/v2beta1/groups:lookupGroup"],
  ["POST", "/iam/v2beta1/groups/{group_uid=**}:requestGroupAccess"],
  ["GET", "/registry/v2beta1/repos/{uid=**}"],
  ["GET", "/registry/v2beta1/repos/{uid=**}/readme"],
  ["GET", "/registry/v2beta1/repos/{repo_uid=**}/digests/{digest}/size"],
  ["GET", "/iam/v1/identities/lookup"],
  ["DELETE", "/auth/v1/delete/{id=*}"],
  ["GET", "/sts/exchange"],
] as const) {
  router.add(method, template, template);
}

const cases: [method: string, path: string, template: string | undefined, ...values: string[]][] = [
  ["GET", "/iam/v2beta1/groups", "/iam/v2beta1/groups"],
  ["GET", "/iam/v2beta1/groups/", "/iam/v2beta1/groups"],
  ["GET", "/iam/v2/groups", "/iam/v2beta1/groups"],
  ["GET", "/iam/v2beta1/groups/a/b", "/iam/v2beta1/groups/{uid=**}", "a/b"],
  ["GET", "/iam/v2beta1/groups/a%2Fb%2fc", "/iam/v2beta1/groups/{uid=**}", "a/b/c"],
  ["POST", "/iam/v2beta1/groups", "/iam/v2beta1/groups/{parent=**}", ""],
  ["POST", "/iam/v2beta1/groups/", "/iam/v2beta1/groups/{parent=**}", ""],
  ["GET", "/iam/v2beta1/groups:lookupGroup", "/iam/v2beta1/groups:lookupGroup"],
  [
    "POST",
    "/iam/v2beta1/groups/a/b:requestGroupAccess",
    "/iam/v2beta1/groups/{group_uid=**}:requestGroupAccess",
    "a/b",
  ],
  ["GET", "/registry/v2beta1/repos/a/b", "/registry/v2beta1/repos/{uid=**}", "a/b"],
  ["GET", "/registry/v2beta1/repos/a/b/readme", "/registry/v2beta1/repos/{uid=**}/readme", "a/b"],
  [
    "GET",
    "/registry/v2beta1/repos/a/b/digests/sha256:0f/size",
    "/registry/v2beta1/repos/{repo_uid=**}/digests/{digest}/size",
    "a/b",
    "sha256:0f",
  ],
  ["GET", "/iam/v1/identities/lookup", "/iam/v1/identities/lookup"],
  ["GET", "/iam/v1/identities/other", undefined],
  ["DELETE", "/auth/v1/delete/x", "/auth/v1/delete/{id=*}", "x"],
  ["DELETE", "/auth/v1/delete/x/y", undefined],
  ["DELETE", "/auth/v1/delete", undefined],
  ["GET", "/sts/exchange", "/sts/exchange"],
  ["GET", "/sts/exchange/", "/sts/exchange"],
  ["GET", "/", undefined],
  ["GET", "//", undefined],
  ["PUT", "/iam/v2beta1/groups", undefined],
];

for (const [method, path, template, ...values] of cases) {
  test(`${method} ${path} matches ${template ?? "nothing"}`, () => {
    const match = router.find(method, path);
    assert.equal(match?.route, template);
    assert.deepEqual(match?.values ?? [], values);
  });
}

test("a path has a list of allowed methods", () => {
  assert.deepEqual(router.allowed("/iam/v2beta1/groups"), ["GET", "HEAD", "POST"]);
  assert.deepEqual(router.allowed("/iam/v2beta1/nothing"), []);
});

test("malformed percent-encoding is an error of its own", () => {
  assert.throws(() => router.find("GET", "/iam/v2beta1/groups/%zz"), URIError);
});

test("two routes for the same requests are rejected at startup", () => {
  const routes = new Router<string>();
  routes.add("GET", "/a/b/c/{x=**}", "one");
  assert.throws(() => routes.add("GET", "/a/b/c/{y=**}", "two"), /two methods match/);
});
