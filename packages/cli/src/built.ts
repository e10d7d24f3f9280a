/**
 * The files of the build, and the code that V8 made of them when they were built. Node's own cache
 * holds what is compiled at loading alone; this one also holds the functions that a start goes through,
 * which are most of the work.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

/** What the build puts around a file, as `require` does when it reads one. */
export const WRAPPER = {
  before: "(function (exports, require, module, __filename, __dirname) {",
  after: "})",
} as const;

/** Where the code of a built file is kept: beside it, where only whoever installed us can write. */
export function codeOf(file: string): string {
  return `${file}.code`;
}

/**
 * A built file, ready to run. Code that another Node.js made is passed over: it only saves time.
 */
export function compiled(file: string, code: Buffer | undefined): Script {
  return new Script(readFileSync(file, "utf8"), {
    filename: file,
    cachedData: code,
  });
}

/** Runs a built file as `require` would, and gives what it exports. */
export function exportsOf(file: string, script: Script): unknown {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  return module.exports;
}

/** Loads a built file. */
export function loadBuilt(file: string): unknown {
  return exportsOf(file, compiled(file, keptCode(file)));
}

function keptCode(file: string): Buffer | undefined {
  try {
    return readFileSync(codeOf(file));
  } catch {
    return undefined;
  }
}
