import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unsafeLink, withoutUnsafeLinks } from "./readme-links.ts";

const UNSAFE = [
  "[x](javascript:alert(1))",
  "![x](javascript:alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "![x](data:image/png;base64,AAAA)",
  "[x](vbscript:msgbox(1))",
  "[x](file:///etc/passwd)",
  "[x](JaVaScRiPt:alert(1))",
  "[x]( javascript:alert(1))",
  "[x](\n  javascript:alert(1)\n)",
  "[x](<javascript:alert(1)>)",
  "[x](< javascript:alert(1)>)",
  "[x](<java\tscript:alert(1)>)",
  "[x](java\nscript:alert(1))",
  "[x](\u0001javascript:alert(1))",
  "[x](java\u0000script:alert(1))",
  "[x](java\u200bscript:alert(1))",
  "[x](javascript\\:alert(1))",
  "[x](javascript%3Aalert(1))",
  "[x](%6aavascript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](&#x6A;avascript:alert(1))",
  "[x](&#106avascript:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](java&Tab;script:alert(1))",
  "[x](&NewLine;javascript:alert(1))",
  '[x](javascript:alert(1) "title")',
  "[![x](https://example.com/x.png)](javascript:alert(1))",
  "[a](https://example.com) [b](javascript:alert(1))",
  "[a]: javascript:alert(1)\n[a]",
  "[a]:\njavascript:alert(1)\n",
  "[a]: <javascript:alert(1)>",
  "[a]: <javascript: alert(1)>",
  "[a]: data:text/html,x",
  "   [a]: javascript:alert(1)",
  "> [a]: javascript:alert(1)",
  "- [a]: javascript:alert(1)",
  "1. [a]: javascript:alert(1)",
  "[a\nb]: javascript:alert(1)",
  "[a\\]b]: javascript:alert(1)",
  "[a]: &#106;avascript:alert(1)",
  // Resembles code, but is not.
  "` [x](javascript:alert(1))",
  "a `\n\n[x](javascript:alert(1)) `",
  "a `\n` [x](javascript:alert(1)) `",
  "# a `\n[x](javascript:alert(1))\n# `",
  "- a `\n- [x](javascript:alert(1)) `",
  "\\` [x](javascript:alert(1)) `",
  "| ` | [x](javascript:alert(1)) | ` |",
  '<img alt="`" /> [x](javascript:alert(1)) `',
  "https://example.com/`a [x](javascript:alert(1)) `",
  "`` [x](javascript:alert(1)) `",
  "a ` b\r\r[x](javascript:alert(1)) ` c",
  "a ` b\u2028[x](javascript:alert(1)) ` c",
  "[`x`](javascript:alert(1))",
  "```\n[x](javascript:alert(1))",
  "```\ncode\n```\n[x](javascript:alert(1))",
  "```\ncode\n````\n[x](javascript:alert(1))\n```",
  "```\ncode\n ```\n[x](javascript:alert(1))\n```",
  " ~~~\n```\n ~~~\n[x](javascript:alert(1))\n```",
  "> ```\n```\n[x](javascript:alert(1))\n```\n",
  "<div>\n```\n\n[x](javascript:alert(1))\n```",
  "<pre>\n\n```\n</pre>\n[x](javascript:alert(1))\n```",
  "```a`b\n[x](javascript:alert(1))\n```",
  "    [x](javascript:alert(1))",
];

const SAFE = [
  "# Hello: world",
  "[x](https://example.com/a:b) [y](HTTP://example.com) [z](mailto:a@example.com)",
  "[x](docs/a:b.md) [y](#a:b) [z](?a=1&amp;b=2) [w](/a) [v](../a) [u](//example.com)",
  "[x](a&amp;b.html) [y](AT&T.html)",
  "![logo](logo.png) [x]() [y](<a b.md>)",
  "[a]: https://example.com/x\n[b]: docs/readme.md 'title'\nNote: text\n",
  "[docs]: docs.md\nSome text: hello",
  "[^1]: Note: a remark",
  "see array[0]: nginx:latest",
  "[ ] todo (note: later)",
  "The javascript: scheme, and data: too.",
  // Code is rendered literally.
  "Links such as `[x](javascript:alert(1))` are rejected.",
  "``[x](javascript:alert(1))`` and ` [y](data:x) `",
  "```\n[x](javascript:alert(1))\n[a]: data:x\n```",
  "Text\n~~~markdown\n[x](javascript:alert(1))\n~~~\nmore",
  "```sh\r\n[x](javascript:alert(1))\r\n```\r\n",
  "<details>\n<summary>Log</summary>\n\n```\n[error]: nginx:latest\n```\n\n</details>",
];

test("links with other schemes than http, https and mailto are found", () => {
  for (const text of UNSAFE) assert.ok(unsafeLink(text), JSON.stringify(text));
});

test("safe links, prose and code are not found", () => {
  for (const text of SAFE) assert.equal(unsafeLink(text), undefined, JSON.stringify(text));
});

test("the line and the begin of the destination are reported", () => {
  const found = unsafeLink("# A\n\n[x](https://a)\n[y]( javascript:alert(1))\n");
  assert.deepEqual(found, { line: 4, text: "javascript:alert(1))" });
});

test("only unsafe schemes are removed", () => {
  for (const text of SAFE) assert.equal(withoutUnsafeLinks(text), text);
  for (const text of UNSAFE) {
    const cleaned = withoutUnsafeLinks(text);
    assert.equal(unsafeLink(cleaned), undefined, JSON.stringify([text, cleaned]));
  }
  const text = "[a](javascript:x) `[b](javascript:y)`\n\n[c](<data:z>)\n\n[d]: javascript:w\n";
  const cleaned = "[a](#x) `[b](javascript:y)`\n\n[c](<#z>)\n\n[d]: #w\n";
  assert.equal(withoutUnsafeLinks(text), cleaned);
});

test("removing is complete", () => {
  const words = [
    "[a]",
    "(",
    ")",
    "javascript",
    ":",
    "\n",
    "\n\n",
    "`",
    "```",
    "<",
    ">",
    " ",
    "&#58;",
  ];
  const texts = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((all) => all.join(""));
  const property = fc.property(texts, (text) => {
    assert.equal(unsafeLink(withoutUnsafeLinks(text)), undefined, JSON.stringify(text));
  });
  fc.assert(property, { seed: 12, numRuns: 2_000 });
});
