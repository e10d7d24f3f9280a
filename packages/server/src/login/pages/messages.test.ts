import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { continuePage, errorPage } from "./messages.ts";

describe("continuePage", () => {
  const leadingTo = (url: string) => continuePage({ title: "On", text: "On.", url });

  test("redirects by refresh and by a link", () => {
    const text = leadingTo("https://a.example/b?c=1&d=2");
    assert.match(text, /http-equiv="refresh" content="0;url=https:\/\/a\.example\/b\?c=1&amp;d=2"/);
    assert.match(text, /href="https:\/\/a\.example\/b\?c=1&amp;d=2"/);
  });

  test("leads only to http, https and paths of the site", () => {
    for (const url of ["javascript:alert(1)", "data:text/html,x", "//evil.example"]) {
      assert.doesNotMatch(leadingTo(url), /http-equiv/);
      assert.match(leadingTo(url), /href="#"/);
    }
  });
});

describe("errorPage", () => {
  test("drops an unsafe link", () => {
    const text = errorPage({
      title: "No",
      text: "No.",
      requestId: "r",
      next: { label: "On", href: "javascript:x" },
    });
    assert.doesNotMatch(text, /javascript:/);
  });
});
