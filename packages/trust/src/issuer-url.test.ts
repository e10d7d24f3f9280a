import assert from "node:assert/strict";
import { test } from "node:test";
import { isIssuerUrl } from "./issuer-url.ts";

test("issuers of platforms are accepted as they are written", () => {
  for (const issuer of [
    "https://token.actions.githubusercontent.com",
    "https://gitlab.example.com",
    "https://issuer.example.com/",
    "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
    "https://oidc.eks.us-east-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF",
    "https://issuer.example.com/a%20b/c..d/.well/...",
    "http://127.0.0.1:8080/realms/main",
    "https://[2001:db8::1]:8443/x",
    "HTTPS://Issuer.Example.com",
  ]) {
    assert.equal(isIssuerUrl(issuer), true, issuer);
  }
});

const REJECTED = {
  "no URL": ["", "issuer", "issuer.example.com", "https://", "https:issuer.example.com"],
  "another scheme": ["ftp://a.example", "file:///etc/passwd", "javascript:alert(1)"],
  "a query": ["https://a.example?x=1", "https://a.example/x?", "https://a.example?"],
  "a fragment": ["https://a.example#x", "https://a.example/x#", "https://a.example#"],
  "user info": ["https://u@a.example", "https://u:p@a.example/x", "https://@a.example"],
  "dot segments": [
    ...["https://a.example/..", "https://a.example/x/../y", "https://a.example/./x"],
    ...["https://a.example/x/.", "https://a.example/..;/x", "https://a.example/x/..;v=1"],
  ],
  "encoded dot segments": [
    ...["https://a.example/%2e%2E/x", "https://a.example/.%2e/x", "https://a.example/x%2f..%2fy"],
    ...["https://a.example/x/%252e%252e/y", "https://a.example/x%5c..%5cy"],
  ],
  "other spellings of a slash": ["https://a.example\\x", "https:\\\\a.example", "https://a\\@b"],
  "white space and control characters": [
    ...[
      "https://a.example/x y",
      " https://a.example",
      "https://a.example\n",
      "https://a\t.example",
    ],
  ],
  "too many characters": [`https://a.example/${"x".repeat(1_024)}`],
};
for (const [what, issuers] of Object.entries(REJECTED)) {
  test(`rejected: ${what}`, () => {
    for (const issuer of issuers) assert.equal(isIssuerUrl(issuer), false, JSON.stringify(issuer));
  });
}
