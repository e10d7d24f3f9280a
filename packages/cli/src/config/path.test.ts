import assert from "node:assert/strict";
import { test } from "node:test";
import { configPath } from "./path.ts";

test("the config file is where the system keeps such files", () => {
  assert.equal(configPath({}, "linux", "/home/me"), "/home/me/.config/wharf/config.yaml");
  assert.equal(
    configPath({}, "darwin", "/Users/me"),
    "/Users/me/Library/Application Support/wharf/config.yaml",
  );
  assert.equal(configPath({ APPDATA: "/roaming" }, "win32", "/me"), "/roaming/wharf/config.yaml");
  assert.equal(configPath({ XDG_CONFIG_HOME: "/x" }, "darwin", "/me"), "/x/wharf/config.yaml");
});
