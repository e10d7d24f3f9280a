import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { codeOf, compiled, exportsOf, loadBuilt, WRAPPER } from "./code-cache.ts";

describe("a built file", () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "wharf-built-"));
    file = join(folder, "built.cjs");
    const body = `exports.name = require("node:path").basename(__filename);
      exports.folder = __dirname;
      exports.dash = String.raw\`–\`;
      exports.os = require("node:os");`;
    writeFileSync(file, `${WRAPPER.before}${body}${WRAPPER.after}`);
  });
  after(() => rmSync(folder, { recursive: true }));

  function works(): void {
    const exports = loadBuilt(file) as {
      name: string;
      folder: string;
      dash: string;
      os: { EOL: string };
    };
    assert.equal(exports.name, "built.cjs");
    assert.equal(exports.folder, folder);
    assert.equal(exports.dash, "\u2013");
    assert.equal(typeof exports.os.EOL, "string");
  }

  test("runs as if it were required", works);

  test("runs from its code cache", async () => {
    const script = compiled(file, undefined);
    exportsOf(file, script);
    const code = script.createCachedData();
    assert.equal(compiled(file, code).cachedDataRejected, false);
    writeFileSync(codeOf(file), code);
    works();
  });

  test("runs although the code beside it is not its own", async () => {
    // V8 remembers what it has compiled: a text that it has seen would not be looked up in the code.
    writeFileSync(file, `${readFileSync(file, "utf8")} // changed`);
    const foreign = Buffer.from("code of another Node.js");
    assert.equal(compiled(file, foreign).cachedDataRejected, true);
    writeFileSync(codeOf(file), foreign);
    works();
  });
});
