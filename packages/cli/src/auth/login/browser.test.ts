import assert from "node:assert/strict";
import { test } from "node:test";
import { browserCommand, browserOrigin } from "./browser.ts";

const URL_ = "https://wharf.example.com/oauth?a=1&b=2";

test("each platform has its own opener, and BROWSER takes precedence", () => {
  const display = { DISPLAY: ":0" };
  assert.deepEqual(browserCommand(URL_, display, "linux"), ["xdg-open", URL_]);
  assert.deepEqual(browserCommand(URL_, {}, "darwin"), ["open", URL_]);
  assert.equal(browserCommand(URL_, {}, "win32")?.at(-1), URL_);
  assert.equal(browserCommand(URL_, {}, "linux"), undefined, "nothing to see it on");
  const named = (BROWSER: string) => browserCommand(URL_, { BROWSER, ...display }, "linux");
  assert.deepEqual(named("firefox"), ["firefox", URL_]);
  assert.deepEqual(named("firefox --new-window %s:lynx"), ["firefox", "--new-window", URL_]);
  assert.deepEqual(named(""), ["xdg-open", URL_]);
});

test("this machine is opened by its name, where passkeys work", () => {
  assert.equal(browserOrigin("http://127.0.0.1:8080"), "http://localhost:8080");
  assert.equal(browserOrigin("http://[::1]:8080/"), "http://localhost:8080");
  assert.equal(browserOrigin("https://127.0.0.1"), "https://localhost");
  for (const other of [
    "https://wharf.example.com",
    "http://10.0.0.1:8080",
    "http://localhost:8080",
  ])
    assert.equal(browserOrigin(other), other);
});
