import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { html } from "./html.ts";
import { PASSKEY_JS, page, pageHeaders, STYLE_CSS } from "./layout.ts";

describe("page", () => {
  test("refers to its own files by digest, and to no external content", () => {
    const text = page({ title: "A", body: html`<h1>A</h1>`, script: true });
    assert.match(text, /href="\/login\/style\.css\?v=[\w-]{16}"/);
    assert.match(text, /src="\/login\/passkey\.js\?v=[\w-]{16}" defer/);
    assert.doesNotMatch(text, /(href|src)="(https?:)?\/\//);
    for (const file of [STYLE_CSS, PASSKEY_JS])
      assert.doesNotMatch(file, /https?:\/\/|@import|url\(/);
  });

  test("includes the script only if requested", () => {
    assert.doesNotMatch(page({ title: "A", body: "b" }), /<script/);
  });

  test("escapes title and body", () => {
    const text = page({ title: "</title><script>", body: "<script>" });
    assert.doesNotMatch(text, /<script/);
  });
});

describe("pageHeaders", () => {
  const policy = (...formTargets: string[]) =>
    pageHeaders({ formTargets })["content-security-policy"]?.split("; ").at(-1);

  test("forbid external content, framing and caching", () => {
    const headers = pageHeaders();
    assert.equal(
      headers["content-security-policy"],
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    );
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.match(headers["permissions-policy"] ?? "", /publickey-credentials-get=\(self\)/);
  });

  test("list the origins of form targets, without duplicates", () => {
    assert.equal(
      policy("https://a.example/authorize?x=1;script-src *", "https://a.example/b"),
      "form-action 'self' https://a.example",
    );
    assert.equal(policy("http://localhost:8080/cb"), "form-action 'self' http://localhost:8080");
  });

  test("fall back to the scheme for IPv6 addresses", () => {
    assert.equal(policy("http://[::1]:8080/cb"), "form-action 'self' http:");
  });

  test("reject targets that are not http or https URLs", () => {
    for (const target of ["javascript:alert(1)", "data:,x", "/path", "*"])
      assert.throws(() => pageHeaders({ formTargets: [target] }));
  });
});
