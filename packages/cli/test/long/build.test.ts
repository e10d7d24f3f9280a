import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { Http } from "../../../server/test/support/client/http.ts";
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";
import { workerPids } from "../../../server/test/support/server/workers.ts";
import { cleanEnvironment, LAUNCHER } from "../support/command.ts";
import { run, type Served, serve, worked } from "../support/release.ts";

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

/** Runs in the server: reports whether V8 takes the code cache beside a bundle. */
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

const COMMAND = join(ROOT, "packages/cli");

/** Requests that need files of the server, unless it has read them at its start. */
async function worksWholly({ url }: Served, data: string): Promise<void> {
  const page = await fetch(`${url}/console/`);
  assert.equal(page.status, 200);
  const [script = ""] = /\/console\/files\/console-[^"]+\.js/.exec(await page.text()) ?? [];
  assert.equal((await fetch(url + script)).status, 200);
  const admin = ["admin", "token", "--data", data, "--base-url", url];
  const token = worked(await run(process.execPath, [LAUNCHER, ...admin])).trim();
  const api = new Http(url, token);
  const { uid } = (await api.post("/iam/v2beta1/groups", { name: "acme" })).body;
  // A costly read: a process of its own.
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const counts = await api.get(`/events/v2beta1/deliveries/${uid}:count?since=${since}`);
  assert.equal(counts.status, 200, JSON.stringify(counts.body));
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
}

test("a server needs its files no more once it has started: an upgrade replaces them", async (t) => {
  const folder = scratchFolder("wharf-installed-");
  const installed = join(folder, "dist");
  cpSync(realpathSync(join(COMMAND, "dist")), installed, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const data = join(folder, "data");
  const flags = ["serve", "--listen", "127.0.0.1:0", "--data", data];
  const server = await serve(process.execPath, [join(installed, "wharf.cjs"), ...flags]);
  t.after(() => server.stop());
  // Its first page is the proof that it has read all of them.
  assert.equal((await fetch(`${server.url}/console/`)).status, 200);
  rmSync(installed, { recursive: true });
  await worksWholly(server, data);
});

test("builds at the same time and under a running server disturb neither", async (t) => {
  const data = scratchFolder("wharf-build-");
  const flags = ["serve", "--workers", "2", "--listen", "127.0.0.1:0", "--data", data];
  const own = realpathSync(join(COMMAND, "dist"));
  const server = await serve(process.execPath, [LAUNCHER, ...flags]);
  t.after(() => server.stop());
  const script = join(ROOT, "scripts/build.ts");
  for (const count of [2, 1]) {
    const builds = Array.from({ length: count }, () => run(process.execPath, [script]));
    for (const one of await Promise.all(builds)) worked(one);
  }
  const replaced = workerPids(server.log).get(1) as number;
  process.kill(replaced, "SIGKILL");
  while (workerPids(server.log).get(1) === replaced) await sleep(20);
  const pid = workerPids(server.log).get(1);
  assert.ok(readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(own), "of the same build");
  await worksWholly(server, data);
  const folders = readdirSync(COMMAND).filter((name) => /^dist-\d/.test(name));
  assert.ok(folders.length <= 4, folders.join());
  assert.ok(existsSync(join(COMMAND, "dist/wharf.cjs")));
});
