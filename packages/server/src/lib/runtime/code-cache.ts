/**
 * Loads the bundles of the build with their V8 code cache. Node's own cache only contains what is
 * compiled at load; this one also contains the functions that run at startup, which are most of the work.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

/** The wrapper that the build adds, as `require` does. */
export const WRAPPER = {
  before: "(function (exports, require, module, __filename, __dirname) {",
  after: "})",
} as const;

/** The path of the code cache: beside the bundle, where only the installing user can write. */
export function codeOf(file: string): string {
  return `${file}.code`;
}

/**
 * Compiles a bundle. A code cache of another Node.js version is ignored: it only saves time.
 */
export function compiled(file: string, code: Buffer | undefined): Script {
  return new Script(readFileSync(file, "utf8"), {
    filename: file,
    cachedData: code,
  });
}

/** Runs a bundle as `require` would, and returns its exports. */
export function exportsOf(file: string, script: Script): unknown {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  return module.exports;
}

/** Loads a bundle. */
export function loadBuilt(file: string): unknown {
  return exportsOf(file, compiled(file, cachedCode(file)));
}

function cachedCode(file: string): Buffer | undefined {
  try {
    return readFileSync(codeOf(file));
  } catch {
    return undefined;
  }
}
