import assert from "node:assert/strict";
import { test } from "node:test";
import { unsafeHtml } from "./readme-html.ts";

const SAFE = [
  "",
  "# nginx\n\nServes `pages`, *fast*.\n\n```sh\ndocker run -p 80:80 nginx > log 2>&1\n```",
  "1 < 2 && 3 > 2, a <3 and x<=y",
  "see <https://example.com/a?b=c&d=e> or <team@example.com>",
  '<p align="center"><img src="https://example.com/logo.svg" alt="logo" width="120"></p>',
  "<details open>\n<summary>More</summary>\n\n- a\n\n</details>",
  "line<br>line<br/>line<BR />",
  '<a href="https://example.com/?a=1&amp;b=2&c=3" title="x">x</a>',
  '<a href="#usage">a</a> <a href="docs/a.md">b</a> <a href="./a">c</a> <a href="/a">d</a>',
  '<a href="mailto:team@example.com">mail</a>',
  '<table><tr><td colspan="2">x</td></tr></table>',
  "| a | b |\n|---|---|\n| 1 | 2 |",
];

const UNSAFE = [
  "<script>alert(1)</script>",
  "<SCRIPT SRC=https://example.com/x.js></SCRIPT>",
  "<scr\nipt>",
  "<img src=x onerror=alert(1)>",
  '<img src="https://example.com/x" onerror="alert(1)">',
  '<img src="javascript:alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="&#x6a;avascript:alert(1)">x</a>',
  '<a href="javascript&colon;alert(1)">x</a>',
  '<a href="data:text/html,x">x</a>',
  '<a href="vbscript:x">x</a>',
  '<a href="//example.com/x">x</a>',
  '<a href="/\\example.com/x">x</a>',
  '<a href="/\t/example.com/x">x</a>',
  '<a href="/\n/example.com/x">x</a>',
  '<a href="./\\\\example.com">x</a><svg onload=x>',
  "<a href='https://example.com'>x</a>",
  '<p style="background:url(x)">x</p>',
  '<p class="x">x</p>',
  '<p id="x">x</p>',
  '<p onclick="x">x</p>',
  '<p href="https://example.com">x</p>',
  "<iframe src=x>",
  "<object data=x>",
  "<embed src=x>",
  "<form action=x>",
  "<input>",
  "<svg/onload=alert(1)>",
  "<math><mtext>",
  "<style>*{}</style>",
  "<link rel=stylesheet href=x>",
  "<meta http-equiv=refresh>",
  "<base href=x>",
  "<!-- comment -->",
  "<!DOCTYPE html>",
  "<?php x ?>",
  "<![CDATA[x]]>",
  "<b",
  "<b ",
  "</script >",
  '</p onclick="x">',
  "<https://example.com/><script>",
  "<javascript:alert(1)>",
  "<custom-element>",
  "```\n<script>\n```",
];

for (const text of SAFE) {
  test(`${JSON.stringify(text)} is allowed`, () => {
    assert.equal(unsafeHtml(text), undefined);
  });
}

for (const text of UNSAFE) {
  test(`${JSON.stringify(text)} is not allowed`, () => {
    assert.ok(unsafeHtml(text));
    assert.ok(unsafeHtml(`# Title\n\n${text}\n\nmore`));
  });
}

test("the position of the first one is reported", () => {
  const text = "# Title\n\n<b>bold</b> <script>alert(1)</script>\n<script>";
  const found = { line: 3, text: "<script>alert(1)</script>" };
  assert.deepEqual(unsafeHtml(text), found);
});

test("takes linear time for any text", () => {
  const size = 300_000;
  for (const piece of ["<", "<a ", "<a a", '<a title="', "<a title=", "&amp;", "<b>", "<p\n"]) {
    unsafeHtml(piece.repeat(size / piece.length));
    unsafeHtml(`<p${' title="x"'.repeat(size / 10)}`);
  }
});
