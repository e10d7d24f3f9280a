import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheFolder, configPath, safeName } from "./paths.ts";

test("the config file is in the platform's config directory", () => {
  assert.equal(configPath({}, "linux", "/home/me"), "/home/me/.config/wharf/config.yaml");
  assert.equal(
    configPath({}, "darwin", "/Users/me"),
    "/Users/me/Library/Application Support/wharf/config.yaml",
  );
  assert.equal(configPath({ APPDATA: "/roaming" }, "win32", "/me"), "/roaming/wharf/config.yaml");
  assert.equal(configPath({ XDG_CONFIG_HOME: "/x" }, "darwin", "/me"), "/x/wharf/config.yaml");
});

test("logins are in the platform's cache directory", () => {
  assert.equal(cacheFolder({}, "linux", "/home/me"), "/home/me/.cache/wharf");
  assert.equal(cacheFolder({}, "darwin", "/Users/me"), "/Users/me/Library/Caches/wharf");
  assert.equal(cacheFolder({ XDG_CACHE_HOME: "/x" }, "darwin", "/Users/me"), "/x/wharf");
  assert.equal(cacheFolder({ LOCALAPPDATA: "/local" }, "win32", "/me"), "/local/wharf");
});

test("names are safe, and never the same for two texts", () => {
  const texts = [
    "https://wharf.example.com",
    "https://wharf-example-com",
    "https---wharf.example.com",
    "HTTPS://wharf.example.com",
    "../../etc/passwd",
    "CON",
    "",
    "a/b",
    "a-b",
    "x".repeat(5000),
    `${"x".repeat(4999)}y`,
  ];
  const names = texts.map(safeName);
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, texts.length);
  for (const name of names) {
    assert.match(name, /^[A-Za-z0-9.-]{17,77}$/);
    assert.doesNotMatch(name, /^\.+$/);
  }
  assert.match(safeName("https://wharf.example.com"), /^https-wharf\.example\.com-[0-9a-f]{16}$/);
});
