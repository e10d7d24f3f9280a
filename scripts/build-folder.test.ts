import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../packages/server/test/support/server/scratch-folder.ts";
import { newBuild, publishBuild } from "./build-folder.ts";

/** A folder with a build that has one file. */
function build(parent: string, content: string): string {
  const folder = newBuild(parent);
  writeFileSync(join(folder, "wharf.cjs"), content);
  return folder;
}

const current = (parent: string) => readFileSync(join(parent, "dist/wharf.cjs"), "utf8");
const builds = (parent: string) => readdirSync(parent).filter((name) => name.startsWith("dist-"));

test("a build is seen when it is complete; the one before it stays, older ones do not", () => {
  const parent = scratchFolder("wharf-builds-");
  publishBuild(parent, build(parent, "1"));
  const running = realpathSync(join(parent, "dist"));
  const second = build(parent, "2");
  assert.equal(current(parent), "1");
  publishBuild(parent, second);
  assert.equal(current(parent), "2");
  assert.equal(readFileSync(join(running, "wharf.cjs"), "utf8"), "1", "of a server that runs");
  for (const content of ["3", "4", "5"]) publishBuild(parent, build(parent, content));
  assert.equal(current(parent), "5");
  assert.equal(builds(parent).length, 2);
});

test("a build stays while a server runs from it", () => {
  const parent = scratchFolder("wharf-builds-");
  const { pid: ended } = spawnSync("true");
  const inUse = [process.pid, ended].map((pid) => {
    const folder = build(parent, String(pid));
    publishBuild(parent, folder);
    writeFileSync(join(folder, `used-${pid}`), "");
    return folder;
  });
  for (const content of ["1", "2"]) publishBuild(parent, build(parent, content));
  assert.deepEqual(
    inUse.map((folder) => existsSync(folder)),
    [true, false],
  );
});

test("builds at the same time leave each other alone", () => {
  const parent = scratchFolder("wharf-builds-");
  const [first, second] = [build(parent, "1"), build(parent, "2")];
  publishBuild(parent, build(parent, "0"));
  publishBuild(parent, second);
  publishBuild(parent, first);
  assert.equal(current(parent), "1");
});

test("what a killed build and earlier versions have left is removed", () => {
  const parent = scratchFolder("wharf-builds-");
  const { pid } = spawnSync("true");
  mkdirSync(join(parent, `dist-${pid}-killed`));
  mkdirSync(join(parent, "dist/console"), { recursive: true });
  mkdirSync(join(parent, "dist-code-cache"));
  publishBuild(parent, build(parent, "1"));
  assert.equal(current(parent), "1");
  assert.equal(builds(parent).length, 1);
});
