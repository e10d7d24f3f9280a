/** `npm start`, as a supervisor runs it: with real npm, in a folder that has nothing but the script and the command. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import manifest from "../../../../package.json" with { type: "json" };
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";
import { until } from "../../../server/test/support/until.ts";
import { LAUNCHER } from "../support/command.ts";
import { pathWith, serve } from "../support/release.ts";

test("a signal to npm stops the server: no orphan stays", async () => {
  const folder = scratchFolder("wharf-npm-start-");
  const { start } = manifest.scripts;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start } }));
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(LAUNCHER, join(folder, "node_modules/.bin/wharf"));
  const env = { PATH: pathWith(join(folder, "bin"), process.execPath) };
  const settings = ["--listen", "127.0.0.1:0", "--data", join(folder, "data")];
  const npm = ["--prefix", folder, "--silent", "start", "--", ...settings];
  const server = await serve("npm", npm, env);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  await server.stop();
  const isGone = () =>
    fetch(`${server.url}/healthz`).then(
      () => false,
      () => true,
    );
  assert.ok(await until(isGone));
});
