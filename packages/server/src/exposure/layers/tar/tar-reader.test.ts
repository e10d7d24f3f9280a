import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { scratchFolder } from "../../../../test/support/server/scratch-folder.ts";
import type { LayerFailure } from "../failure.ts";
import { layerOf } from "../testing/layers.ts";
import { type TarEntry, TarReader } from "./tar-reader.ts";

/** The entries of a tar, with the contents of files, read in chunks of a size. */
function read(tar: Buffer, chunkBytes = tar.length || 1): (TarEntry & { text: string })[] {
  const found: (TarEntry & { text: string })[] = [];
  const reader = new TarReader((entry) => {
    const file = { ...entry, text: "" };
    found.push(file);
    return { write: (part) => (file.text += part.toString("latin1")), end: () => {} };
  });
  for (let at = 0; at < tar.length; at += chunkBytes) {
    reader.push(tar.subarray(at, at + chunkBytes));
  }
  reader.finish();
  return found;
}

function codeOf(tar: Buffer): string {
  try {
    read(tar);
    return "";
  } catch (error) {
    return (error as LayerFailure).code;
  }
}

/** Overwrites a field of the first header, and corrects its checksum. */
function withField(tar: Buffer, at: number, field: Buffer | string): Buffer {
  const changed = Buffer.from(tar);
  Buffer.from(field as string, "latin1").copy(changed, at);
  changed.fill(" ", 148, 156);
  const sum = changed.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  changed.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return changed;
}

describe("the tar reader", () => {
  const folder = scratchFolder("wharf-tar-");
  const long = `${"d".repeat(90)}/${"e".repeat(90)}/${"f".repeat(200)}`;
  const files: Record<string, string> = { a: "", "b/c": "x".repeat(511), "b/ü": "y".repeat(1025) };

  for (const [path, text] of Object.entries({ ...files, [long]: "long" })) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  linkSync(join(folder, "b/c"), join(folder, "b/hard"));
  symlinkSync(`../${long}`, join(folder, "b/soft"));
  writeFileSync(join(folder, "sparse"), "s");
  truncateSync(join(folder, "sparse"), 10_000_000);

  for (const format of ["gnu", "posix"]) {
    test(`reads what GNU tar writes as ${format}, in chunks of any size`, () => {
      const names = ["a", "b", dirname(dirname(long)), "sparse"];
      const options = [`--format=${format}`, "--sparse", "--sort=name", "-C", folder];
      const tar = execFileSync("tar", [...options, "-cf", "-", ...names]);
      const found = new Map(read(tar).map((entry) => [entry.path, entry]));
      for (const [path, text] of Object.entries({ ...files, [long]: "long" })) {
        assert.deepEqual([found.get(path)?.type, found.get(path)?.text], ["file", text], path);
      }
      assert.equal(found.get("b/")?.type, "directory");
      assert.deepEqual([found.get("b/hard")?.type, found.get("b/hard")?.link], ["link", "b/c"]);
      assert.deepEqual(
        [found.get("b/soft")?.type, found.get("b/soft")?.link],
        ["symlink", `../${long}`],
      );
      assert.equal(found.get("sparse")?.type, "sparse");
      for (const chunk of [1, 511, 512, 513, 1024, 7000]) {
        assert.deepEqual(read(tar, chunk), read(tar), `chunks of ${chunk}`);
      }
    });
  }

  test("reads names with a prefix, as ustar has them", () => {
    const name = `${"p".repeat(120)}/${"q".repeat(90)}`;
    mkdirSync(join(folder, dirname(name)));
    writeFileSync(join(folder, name), "1");
    const tar = execFileSync("tar", ["--format=ustar", "-C", folder, "-cf", "-", name]);
    assert.deepEqual(
      read(tar).map(({ path }) => path),
      [name],
    );
  });

  test("ignores what follows the end, and accepts an archive without an end", async () => {
    const tar = await layerOf({ a: "1" });
    assert.equal(read(Buffer.concat([tar, Buffer.from("garbage")])).length, 1);
    assert.equal(read(tar.subarray(0, 1024)).length, 1);
    assert.deepEqual(read(Buffer.alloc(0)), []);
  });

  test("rejects archives that are truncated, damaged or none", async () => {
    const tar = await layerOf({ a: "1".repeat(600) });
    assert.equal(codeOf(tar.subarray(0, 700)), "truncated");
    assert.equal(codeOf(tar.subarray(0, 100)), "truncated");
    assert.equal(codeOf(Buffer.from("no archive".repeat(100))), "not_tar");
    const damaged = Buffer.from(tar);
    damaged[0] = 0x41;
    assert.equal(codeOf(damaged), "not_tar");
    assert.equal(codeOf(withField(tar, 124, Buffer.alloc(12, 0xff))), "not_tar");
    assert.equal(
      codeOf(withField(tar, 124, Buffer.from([0x80, 0, 0, 0, ...Array(8).fill(0x7f)]))),
      "not_tar",
    );
  });

  test("rejects metadata that is too large or malformed, before it is kept", async () => {
    const tar = await layerOf({ a: "1" });
    const large = withField(withField(tar, 156, "L"), 124, "00777777777\0");
    assert.equal(codeOf(large), "header_too_large");
    for (const text of ["9 a=b\n", "x", "99999 a=b\n", "5 ab\n", "-1 a=b\n"]) {
      const pax = await layerOf({ a: text });
      assert.equal(codeOf(withField(pax, 156, "x")), "not_tar", text);
    }
    const size = await layerOf({ a: "13 size=1e99\n" });
    assert.equal(codeOf(withField(size, 156, "x")), "not_tar");
  });

  test("takes no content from entries that have none, whatever size they state", async () => {
    const tar = await layerOf({ a: { type: "symlink", linkname: "b" }, c: "next" });
    const [first, second] = read(withField(tar, 124, "00000001000\0"));
    assert.deepEqual([first?.type, second?.text], ["symlink", "next"]);
  });
});
