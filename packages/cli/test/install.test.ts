import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

const ROOT = join(import.meta.dirname, "../../..");
const { installArgs } = await import(join(ROOT, "scripts/install-plan.mjs"));

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const RUNTIME = { "node_modules/esbuild": {}, "node_modules/pg": {} };
const DEV = { "node_modules/typescript": { dev: true } };
const OTHER_PLATFORM = { "node_modules/@biomejs/cli-win32-x64": { dev: true, optional: true } };
const WANTED = { ...RUNTIME, ...DEV, ...OTHER_PLATFORM };

describe("the install script", () => {
  const root = mkdtempSync(join(tmpdir(), "wharf-install-"));
  after(() => rmSync(root, { recursive: true }));

  function given(installed: Readonly<Record<string, Locked>> | undefined, isStale = false): void {
    rmSync(join(root, "node_modules"), { recursive: true, force: true });
    writeLock("package-lock.json", WANTED, 1_000);
    if (installed === undefined) return;
    mkdirSync(join(root, "node_modules"));
    writeLock("node_modules/.package-lock.json", installed, isStale ? 999 : 1_001);
  }

  function writeLock(name: string, packages: object, seconds: number): void {
    writeFileSync(join(root, name), JSON.stringify({ packages }));
    utimesSync(join(root, name), seconds, seconds);
  }

  /** All, what is needed to run, or nothing; scripts of packages never run. */
  function installed(withDev: boolean): "all" | "runtime" | "nothing" {
    const args: string[] | undefined = installArgs(root, { withDev });
    if (args === undefined) return "nothing";
    assert.equal(args[0], "ci");
    assert.ok(args.includes("--ignore-scripts"), args.join(" "));
    return args.includes("--omit=dev") ? "runtime" : "all";
  }

  for (const [title, lock, isStale, start, develop] of [
    ["a fresh clone", undefined, false, "runtime", "all"],
    ["after npm start", RUNTIME, false, "nothing", "all"],
    ["after npm test", { ...RUNTIME, ...DEV }, false, "nothing", "nothing"],
    ["npm start, then a new lock", RUNTIME, true, "runtime", "all"],
    ["npm test, then a new lock", { ...RUNTIME, ...DEV }, true, "all", "all"],
  ] as const) {
    test(title, () => {
      given(lock, isStale);
      assert.deepEqual([installed(false), installed(true)], [start, develop]);
    });
  }
});

test("no package that is installed to run depends on its install script", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const scripted = Object.entries(
    lock.packages as Record<string, Locked & { hasInstallScript?: true }>,
  )
    .filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev)
    .map(([path]) => path);
  // esbuild's only makes its command start sooner; the build does not use the command.
  assert.deepEqual(scripted, ["node_modules/esbuild"]);
});

test("every package is installed with the checksum of the lock file", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const packages = Object.entries(
    lock.packages as Record<string, { link?: true; integrity?: string }>,
  );
  const unchecked = packages.filter(
    ([path, { link, integrity }]) => path.startsWith("node_modules/") && !link && !integrity,
  );
  assert.deepEqual(
    unchecked.map(([path]) => path),
    [],
  );
});
