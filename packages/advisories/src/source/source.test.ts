import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { type Entries, tarOf, zipOf } from "../../test/archives.ts";
import { READ_LIMITS } from "../read/limits.ts";
import { ARCHIVE_LIMITS } from "./budget.ts";
import { openSource } from "./source.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "wharf-source-test-"));
after(() => rmSync(FOLDER, { recursive: true }));

let files = 0;
function fileWith(bytes: Uint8Array | string): string {
  const path = join(FOLDER, `file-${files++}`);
  writeFileSync(path, bytes);
  return path;
}

/** What a source holds, in short: `name=text`, `name skipped`, `name: why it was refused`. */
async function inside(path: string, input: Uint8Array = Buffer.alloc(0)): Promise<string[]> {
  // In small pieces, as pipes give them.
  const pieces =
    input.length > 100_000 ? [input] : Array.from(input, (byte) => Buffer.from([byte]));
  const { items } = await openSource(path, Readable.from(pieces));
  const found: string[] = [];
  for await (const item of items()) {
    const name = item.name.replace(path, "SOURCE");
    if (item.kind === "document") found.push(`${name}=${Buffer.from(item.bytes).toString()}`);
    else found.push(item.kind === "skipped" ? `${name} skipped` : `${name}: ${item.why.message}`);
  }
  return found;
}

const ENTRIES: Entries = [
  ["a/one.yaml", "1"],
  ["a/", ""],
  ["../../etc/two.json", "2"],
  ["/three.YML", "3"],
  [".github/workflows/ci.yaml", "4"],
  ["inner.zip", zipOf([["x.json", "{}"]])],
  ["README.md", "5"],
];

const FOUND = [
  "SOURCE/a/one.yaml=1",
  "SOURCE/../../etc/two.json=2",
  "SOURCE//three.YML=3",
  "SOURCE/.github/workflows/ci.yaml skipped",
  "SOURCE/inner.zip skipped",
  "SOURCE/README.md skipped",
];

const LINK = "SOURCE/link.json skipped";

describe("documents come from", () => {
  test("a file, whatever its name", async () => {
    assert.deepEqual(await inside(fileWith("text")), ["SOURCE=text"]);
    assert.deepEqual(await inside(fileWith("")), ["SOURCE="]);
    await assert.rejects(inside(join(FOLDER, "nothing")), { code: "ENOENT" });
  });

  test("a folder, all the way down, in order", async () => {
    const folder = join(FOLDER, "folder");
    mkdirSync(join(folder, "b/.git"), { recursive: true });
    for (const name of ["z.json", "a.yaml", "b/c.yml", "b/.git/x.json", "b/.y.json", "n.txt"]) {
      writeFileSync(join(folder, name), name);
    }
    symlinkSync(join(folder, "z.json"), join(folder, "link.json"));
    symlinkSync(folder, join(folder, "b/loop"));
    symlinkSync(join(FOLDER, "nothing"), join(folder, "broken.json"));
    symlinkSync("circle.json", join(folder, "circle.json"));
    // Whoever wrote the folder must not have us read what is beside it.
    symlinkSync(fileWith("secret"), join(folder, "out.json"));
    assert.deepEqual(await inside(folder), [
      "SOURCE/b/.y.json skipped",
      "SOURCE/b/loop skipped",
      "SOURCE/broken.json skipped",
      "SOURCE/circle.json skipped",
      "SOURCE/n.txt skipped",
      "SOURCE/out.json skipped",
      "SOURCE/a.yaml=a.yaml",
      "SOURCE/b/c.yml=b/c.yml",
      "SOURCE/link.json=z.json",
      "SOURCE/z.json=z.json",
    ]);
    assert.equal((await openSource(folder, Readable.from([]))).total, 10);
  });

  test("a folder in which a file is gone before its turn", async () => {
    const folder = join(FOLDER, "changing");
    mkdirSync(folder);
    for (const name of ["a.json", "b.json"]) writeFileSync(join(folder, name), name);
    const { items } = await openSource(folder, Readable.from([]));
    rmSync(join(folder, "a.json"));
    const found = await Array.fromAsync(items());
    assert.deepEqual(
      found.map((item) => (item.kind === "refused" ? item.why.message : item.kind)),
      ["cannot be read: ENOENT: no such file or directory", "document"],
    );
  });

  test("archives, told by their bytes; what is odd in them does no harm", async () => {
    const tar = await tarOf(ENTRIES);
    const zip = zipOf(ENTRIES);
    for (const archive of [tar, gzipSync(tar), zstdCompressSync(tar), zip]) {
      const found = archive === zip ? FOUND : [...FOUND, LINK];
      assert.deepEqual(await inside(fileWith(archive)), found);
      const fromInput = await inside("-", archive);
      assert.deepEqual(
        fromInput,
        found.map((line) => line.replace("SOURCE", "<stdin>")),
      );
    }
    assert.deepEqual(await inside(fileWith(gzipSync("text"))), ["SOURCE=text"]);
    assert.deepEqual(await inside(fileWith(zstdCompressSync("text"))), ["SOURCE=text"]);
    assert.deepEqual(await inside("-", Buffer.from("text")), ["<stdin>=text"]);
    assert.equal((await openSource(fileWith(zipOf(ENTRIES)), Readable.from([]))).total, 7);
    assert.deepEqual(await inside(fileWith(zipOf([]))), []);
  });

  test("zip archives that are large, or say what they hold as if they were", async () => {
    assert.deepEqual(await inside(fileWith(zipOf(ENTRIES, { isZip64: true }))), FOUND);
    // More than a zip can count without zip64.
    const entries: Entries = Array.from({ length: 65_537 }, (_, at) => [`${at}.json`, "{}"]);
    const path = fileWith(zipOf(entries, { isZip64: true }));
    assert.equal((await openSource(path, Readable.from([]))).total, 65_537);
    const found = await inside(path);
    assert.deepEqual([found.length, found.at(-1)], [65_537, "SOURCE/65536.json={}"]);
  });
});

describe("what is too much is refused", () => {
  const large = Buffer.alloc(READ_LIMITS.documentBytes + 1, "x");
  const tooLarge = "is larger than 16 MiB";

  test("a large file, without its being read", async () => {
    const path = fileWith("x");
    truncateSync(path, 100 * 1024 ** 3);
    assert.deepEqual(await inside(path), [`SOURCE: ${tooLarge}`]);
  });

  test("large entries, and only they", async () => {
    const entries: Entries = [
      ["large.json", large],
      ["small.json", "{}"],
    ];
    const expected = [`SOURCE/large.json: ${tooLarge}`, "SOURCE/small.json={}"];
    const tar = await tarOf(entries);
    for (const archive of [tar, gzipSync(tar)]) {
      assert.deepEqual(await inside(fileWith(archive)), [...expected, LINK]);
    }
    assert.deepEqual(await inside(fileWith(zipOf(entries))), expected);
    assert.deepEqual(await inside(fileWith(gzipSync(large))), [`SOURCE: ${tooLarge}`]);
    assert.deepEqual(await inside("-", large), [`<stdin>: ${tooLarge}`]);
  });

  test("entries that are larger than they say", async () => {
    const [line] = await inside(fileWith(zipOf([["a.json", large]], { claimed: 10 })));
    assert.match(line as string, /^SOURCE\/a\.json: is not a zip that can be read: too many bytes/);
  });

  test("bombs: many times their own size", async () => {
    const zeros = Buffer.alloc(8 * 1024 ** 2);
    const entries: Entries = Array.from({ length: 12 }, (_, i) => [`${i}.json`, zeros]);
    const why = "SOURCE: unpacks to more than 200 times its size: what follows was not read";
    const zipped = await inside(fileWith(zipOf(entries)));
    assert.equal(zipped.at(-1), why);
    assert.ok(zipped.length < 12);
    for (const pack of [gzipSync, zstdCompressSync]) {
      const packed = await inside(fileWith(pack(await tarOf(entries))));
      assert.equal(packed.at(-1), why);
      assert.ok(packed.length < 12);
    }
    assert.equal(ARCHIVE_LIMITS.ratio, 200);
  });

  test("archives that are broken, or hold nothing but another", async () => {
    const tar = await tarOf(ENTRIES);
    const last = async (bytes: Uint8Array) => (await inside(fileWith(bytes))).at(-1) as string;
    assert.match(await last(gzipSync(tar).subarray(0, 200)), /is not a gzip that can be read/);
    assert.match(await last(tar.subarray(0, 700)), /is not a tar that can be read/);
    assert.match(await last(zipOf(ENTRIES).subarray(0, 60)), /is not a zip that can be read/);
    assert.match(
      await last(zstdCompressSync(tar).subarray(0, 99)),
      /is not a zstd that can be read/,
    );
    assert.match(
      await last(Buffer.from("\xfd7zXZ\0\0\x04", "latin1")),
      /: is packed with xz, which is/,
    );
    assert.match(
      await last(Buffer.from("BZh91AY&SY")),
      /: is packed with bzip2, which is not read$/,
    );
    assert.match(await last(gzipSync(gzipSync("x"))), /: holds another archive$/);
    assert.match(await last(zstdCompressSync(gzipSync("x"))), /: holds another archive$/);
    assert.match(await last(gzipSync(zipOf(ENTRIES))), /: holds another archive$/);
  });
});
