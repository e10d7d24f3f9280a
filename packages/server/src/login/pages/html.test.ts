import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { attributes, html, safeUrl } from "./html.ts";

describe("html", () => {
  test("escapes text", () => {
    const text = `<script>alert("1")</script> & 'more'`;
    assert.equal(
      html`<p>${text}</p>`.toString(),
      "<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;</p>",
    );
  });

  test("escapes attributes", () => {
    for (const value of [`" onclick="x`, `' onclick='x`, "><script>"]) {
      const tag = html`<input value="${value}">`.toString();
      assert.match(tag, /^<input value="[^"'<>]*">$/);
    }
  });

  test("keeps markup and lists of markup, and escapes text in lists", () => {
    const items = ["a", "<b>"].map((name) => html`<li>${name}</li>`);
    assert.equal(
      html`<ul>${items}${[" & ", 7]}</ul>`.toString(),
      "<ul><li>a</li><li>&lt;b&gt;</li> &amp; 7</ul>",
    );
  });

  test("renders nothing for absent values", () => {
    assert.equal(html`<p>${false}${null}${undefined}${""}</p>`.toString(), "<p></p>");
    assert.equal(html`<p>${0}</p>`.toString(), "<p>0</p>");
  });

  test("escapes forged markup objects", () => {
    const forged = { toString: () => "<script>", text: "<script>" };
    assert.equal(html`${forged as never}`.toString(), "&lt;script&gt;");
  });

  test("rejects unquoted attributes", () => {
    assert.throws(() => html`<input value=${"a b"}>`, /attribute without quotes/);
  });

  test("replaces unsafe URLs", () => {
    const bad = "javascript:alert(1)";
    assert.equal(html`<a href="${bad}">`.toString(), '<a href="#">');
    assert.equal(
      html`<form method="post" action="${bad}">`.toString(),
      '<form method="post" action="#">',
    );
    assert.equal(html`<button FORMACTION="${bad}">`.toString(), '<button FORMACTION="#">');
    assert.equal(html`<img src="${[bad]}">`.toString(), '<img src="#">');
    assert.equal(html`<a href="${"java"}${"script:x"}">`.toString(), '<a href="#script:x">');
  });

  test("escapes URLs", () => {
    assert.equal(html`<a href="${'/a?b=1&c="d'}">`.toString(), '<a href="/a?b=1&amp;c=&quot;d">');
  });
});

describe("attributes", () => {
  test("escapes values, renders true as a bare name, omits absent values", () => {
    assert.equal(
      attributes({ name: `a"b`, required: true, hidden: false, title: undefined }).toString(),
      ' name="a&quot;b" required',
    );
  });

  test("checks URLs and rejects event handlers", () => {
    assert.equal(attributes({ action: "javascript:x" }).toString(), ' action="#"');
    assert.throws(() => attributes({ onclick: "x" }), /not an attribute/);
    assert.throws(() => attributes({ "a b": "x" }), /not an attribute/);
  });
});

describe("safeUrl", () => {
  const good = ["/", "/oauth?login=1#top", "https://a.example/b", "http://localhost:8080/callback"];
  for (const address of good) {
    test(`keeps ${address}`, () => assert.equal(safeUrl(address), address));
  }

  const bad = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https://",
    "oauth",
    "",
  ];
  for (const address of bad) {
    test(`drops ${JSON.stringify(address)}`, () => assert.equal(safeUrl(address), "#"));
  }

  test("a path with dot segments stays on the site", () => {
    const address = "/.//evil.example";
    assert.equal(new URL(safeUrl(address), "https://a.example").host, "a.example");
  });
});
