import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { build } from "esbuild";
import { cleanEnvironment, LAUNCHER } from "../support/command.ts";

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

/** Runs in the server: reports whether V8 takes the code that is kept beside a bundle. */
const REPORT = `const vm = require("node:vm");
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    if (options.cachedData) console.log("code of", require("node:path").basename(options.filename),
      this.cachedDataRejected ? "rejected" : "taken");
  }
};`;

test("the built server starts from the code that the build has kept", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-code-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const report = join(folder, "report.cjs");
  writeFileSync(report, REPORT);
  const settings = ["--listen", "127.0.0.1:0", "--data", join(folder, "data")];
  const server = spawn(process.execPath, ["--require", report, LAUNCHER, "serve", ...settings], {
    ...{ env: cleanEnvironment(), stdio: ["ignore", "pipe", "ignore"] },
  });
  const ended = once(server, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    lines.push(line);
    if (line.startsWith("wharf: ready at")) break;
  }
  server.kill("SIGINT");
  await ended;
  assert.equal(lines[0], "code of server.cjs taken");
});
