import assert from "node:assert/strict";
import { test } from "node:test";
import { browserCommand } from "./browser.ts";

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
