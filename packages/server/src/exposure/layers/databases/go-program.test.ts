import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { goProgram } from "../testing/go-programs.ts";
import { inventoryOf, layerOf, purlsOf } from "../testing/layers.ts";
import { GoProgram } from "./go-program.ts";

const LINES = [
  "path\texample.com/cmd/app",
  "mod\texample.com/cmd\t(devel)\t",
  "dep\tgithub.com/a/b\tv1.2.3\th1:sum=",
  "dep\tgithub.com/old/c\tv1.0.0\th1:sum=",
  "=>\tgithub.com/New/c\tv1.0.1+incompatible\th1:sum=",
  "dep\tgithub.com/local/d\tv1.0.0",
  "=>\t./d\t(devel)\t",
  "build\t-compiler=gc",
  "",
].join("\n");

const PURLS = [
  "pkg:golang/stdlib@1.22.1",
  "pkg:golang/example.com/cmd",
  "pkg:golang/github.com/a/b@v1.2.3",
  "pkg:golang/github.com/New/c@v1.0.1%2Bincompatible",
  "pkg:golang/github.com/local/d",
];

const CURRENT = { goVersion: "go1.22.1", lines: LINES };

/** The package URLs of a program that is read in parts of a size. */
function purlsIn(program: Buffer, partBytes: number, maxBytes = 1024 ** 2): string[] {
  const reader = new GoProgram(maxBytes);
  for (let at = 0; at < program.length; at += partBytes) {
    reader.write(program.subarray(at, at + partBytes));
  }
  return reader.end().map(({ purl }) => purl);
}

describe("programs of Go", () => {
  test("have their modules, with replacements, in parts of any size", () => {
    const program = goProgram(CURRENT);
    for (const bytes of [1_000_000, 4096, 1000, 17])
      assert.deepEqual(purlsIn(program, bytes), PURLS);
  });

  test("of old versions have pointers, in any byte order and size", () => {
    for (const is32 of [false, true]) {
      for (const isBigEndian of [false, true]) {
        const options = { ...CURRENT, goVersion: "go1.17.8 X:regabi", hasPointers: true };
        // The note is looked for in the first part that is large enough.
        const program = goProgram({ ...options, is32, isBigEndian, infoAt: 0x20000 });
        assert.deepEqual(purlsIn(program, 5000), ["pkg:golang/stdlib@1.17.8", ...PURLS.slice(1)]);
        assert.throws(() => purlsIn(program, 5000, 0x10000), { code: "file_too_large" });
      }
    }
  });

  test("are not mistaken: the magic number also occurs where it is searched for", () => {
    const program = goProgram(CURRENT);
    const magic = program.subarray(0x4000, 0x4000 + 14);
    const later = Buffer.concat([
      program.subarray(0, 0x3000),
      Buffer.alloc(0x1000),
      program.subarray(0x3000),
    ]);
    magic.copy(later, 0x3001);
    for (let at = 0x3010; at < 0x4000; at += 16) magic.copy(later, at);
    assert.deepEqual(purlsIn(later, 4096), PURLS);
    const moved = Buffer.concat([
      program.subarray(0, 0x3000),
      Buffer.alloc(8),
      program.subarray(0x3000),
    ]);
    assert.deepEqual(purlsIn(moved, 4096), []);
  });

  test("are safe when they are malformed", () => {
    const inline = goProgram(CURRENT);
    const pointers = goProgram({ ...CURRENT, hasPointers: true });
    for (const program of [inline, pointers]) {
      for (let end = 0x4000; end < program.length; end += 3)
        purlsIn(program.subarray(0, end), 4096);
    }
    for (let at = 0x4000; at < 0x4040; at++) {
      for (const byte of [0, 0x7f, 0xff]) {
        const changed = Buffer.from(pointers);
        changed[at] = byte;
        purlsIn(changed, 4096);
      }
    }
    const huge = Buffer.from(inline);
    huge.fill(0xff, 0x4020, 0x4030);
    assert.deepEqual(purlsIn(huge, 4096), []);
  });

  test("are found at any path, if they are executable and belong to ELF", async () => {
    const content = goProgram(CURRENT);
    const layer = await layerOf({
      app: { mode: 0o755, content },
      data: { mode: 0o644, content },
      text: { mode: 0o755, content: Buffer.concat([Buffer.from("#!/bin/sh\n      "), content]) },
      short: { mode: 0o755, content: Buffer.from("\x7fE") },
    });
    assert.deepEqual(await purlsOf(layer), PURLS);
    const { packages } = await inventoryOf(layer);
    assert.deepEqual(
      new Set(packages.map(({ path, version }) => `${path} ${version}`)).has("app "),
      true,
      "a module without a version has an empty one",
    );
  });
});
