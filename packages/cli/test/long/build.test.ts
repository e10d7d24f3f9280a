import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "../../../..");

test("the build needs no development package", async () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const packages: Readonly<Record<string, { readonly dev?: boolean }>> = lock.packages;
  // The build itself, the recorder that it starts, and both things that it builds.
  const entryPoints = [
    ...["scripts/build.ts", "scripts/record-code.ts"],
    ...["packages/cli/src/main.ts", "packages/cli/src/commands.ts"],
    "packages/cli/src/serve/alone.ts",
  ];
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: join(tmpdir(), "never-written"),
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    // pg asks for it, and does without.
    external: ["pg-native"],
    metafile: true,
    logLevel: "silent",
  });
  const names = new Set(
    Object.keys(metafile.inputs).flatMap(
      (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
    ),
  );
  assert.ok(names.has("esbuild") && names.has("pg"), [...names].join(", "));
  const missing = [...names].filter((name) => {
    const found = packages[`node_modules/${name}`];
    return found === undefined || found.dev === true;
  });
  assert.deepEqual(missing, []);
});
