import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Config, readConfig, writeConfig } from "./file.ts";

test("writes the whole file, ignoring leftovers of other writers", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-config-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "wharf", "config.yaml");
  await writeConfig(new Config(path).with("default.group", "acme"));
  // In containers that share a home, processes share their numbers too.
  const others = `${path}.${process.pid}`;
  writeFileSync(others, "half of what another writes");
  await writeConfig((await readConfig(path, true)).with("default.group", "beta"));
  assert.equal(readFileSync(path, "utf8"), "default:\n  group: beta\n");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(readFileSync(others, "utf8"), "half of what another writes");
  assert.equal(readdirSync(join(folder, "wharf")).length, 2, "and nothing of ours is left");
});
