import assert from "node:assert/strict";
import { test } from "node:test";
import { clientName, isBrowser } from "./client-name.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const CHROME = `${WEBKIT} Chrome/156.0.0.0 Safari/537.36`;

const NAMES: Readonly<Record<string, string>> = {
  [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`]: "Chrome on Linux",
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/156.0.0.0`]: "Edge on Windows",
  [`Mozilla/5.0 (Linux; Android 16) ${CHROME}`]: "Chrome on Android",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0":
    "Firefox on macOS",
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${WEBKIT} Version/19.0 Safari/604.1`]:
    "Safari on iOS",
  "wharf/0.2.0": "wharf 0.2.0",
  "wharf/0.2.0 (linux; x64) node/26": "wharf 0.2.0",
  node: "node",
  "": "unknown",
  "<b>a tool</b>": "<b>a tool</b>",
};

for (const [userAgent, name] of Object.entries(NAMES)) {
  test(`${JSON.stringify(userAgent)} is ${name}`, () => {
    assert.equal(clientName(userAgent), name);
    assert.equal(isBrowser(userAgent), name.includes(" on "));
  });
}

test("a name has at most sixty characters", () => {
  assert.equal(clientName("x".repeat(1_000)).length, 60);
});
