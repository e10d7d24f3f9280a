import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";
import { bundleConsole } from "../../../scripts/build-console.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";

const KB = 1000;

describe("the size of the console", () => {
  test("stays within its budget", async (t) => {
    const out = scratchFolder("wharf-console-");
    const { outputs } = await bundleConsole(out);
    const size = (path: string) => gzipSync(readFileSync(join(out, nameOf(path)))).length;
    const sum = (paths: Iterable<string>) => [...paths].reduce((all, path) => all + size(path), 0);
    const scripts = Object.keys(outputs).filter((path) => path.endsWith(".js"));
    const first = new Set([
      ...closure(outputs, "packages/console/src/main.tsx"),
      ...closure(outputs, "packages/console/src/screens/organizations/organizations.tsx"),
    ]);
    const styles = Object.keys(outputs).filter((path) => path.endsWith(".css"));
    t.diagnostic(`first screen ${sum(first)}, all ${sum(scripts)}, style ${sum(styles)} bytes`);
    assert.ok(sum(first) <= 160 * KB, `the first screen loads ${sum(first)} bytes of scripts`);
    assert.ok(sum(scripts) <= 540 * KB, `all screens load ${sum(scripts)} bytes of scripts`);
    const importer = closure(outputs, "packages/console/src/screens/advisories/import/run.ts");
    const described = scripts.filter((path) => hasDescriptors(outputs, path));
    assert.ok(described.length > 0, "the import of advisories has descriptors of messages");
    assert.deepEqual(
      described.filter((path) => !importer.has(path)),
      [],
      "only the import has them",
    );
    assert.deepEqual(
      described.filter((path) => first.has(path)),
      [],
    );
    assert.ok(sum(styles) <= 20 * KB, `styles have ${sum(styles)} bytes`);
  });
});

const nameOf = (path: string) => path.split("/").at(-1) ?? "";

/** Whether a file has descriptors of messages, which are as large as everything else that a screen needs. */
function hasDescriptors(outputs: Metafile["outputs"], path: string): boolean {
  return Object.entries(outputs[path]?.inputs ?? {}).some(
    ([input, { bytesInOutput }]) => input.includes("_pb.") && bytesInOutput > 0,
  );
}

/** The files that are loaded with an entry, itself included. */
function closure(outputs: Metafile["outputs"], entry: string): Set<string> {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  assert.ok(found, `there is no output of ${entry}`);
  const files = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") visit(next);
    }
  };
  visit(found[0]);
  return files;
}
