import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { type Entries, tarOf, zipOf } from "../../test/archives.ts";
import { SOURCE_LIMITS, type SourceLimits } from "./budget.ts";
import { openSource } from "./source.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "wharf-source-test-"));
after(() => rmSync(FOLDER, { recursive: true }));

let files = 0;
function fileWith(bytes: Uint8Array | string): string {
  const path = join(FOLDER, `file-${files++}`);
  writeFileSync(path, bytes);
  return path;
}

/** Small enough for quick tests; one test has the default limits. */
const LIMITS: SourceLimits = {
  documentBytes: 64 * 1024,
  entries: 50,
  expandedBytes: 1024 ** 2,
  expansionRatio: 20,
  ratioCheckedFrom: 128 * 1024,
};

/** Single bytes up to and beyond the head that detects the kind, then small chunks, as pipes have them. */
function chunked(input: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < input.length; ) {
    const size = at < 600 ? 1 : 997;
    chunks.push(input.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** The items of a source: `name=text`, `name skipped` or `name: reason of the rejection`. */
async function inside(
  path: string,
  input: Uint8Array = Buffer.alloc(0),
  limits: SourceLimits = LIMITS,
): Promise<string[]> {
  const { items } = await openSource(path, Readable.from(chunked(input)), limits);
  const found: string[] = [];
  for await (const item of items()) {
    const name = item.name.replace(path, "SOURCE");
    if (item.kind === "document") found.push(`${name}=${Buffer.from(item.bytes).toString()}`);
    else found.push(item.kind === "skipped" ? `${name} skipped` : `${name}: ${item.error.message}`);
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
  test("a file of any name", async () => {
    assert.deepEqual(await inside(fileWith("text")), ["SOURCE=text"]);
    assert.deepEqual(await inside(fileWith("")), ["SOURCE="]);
    await assert.rejects(inside(join(FOLDER, "nothing")), { code: "ENOENT" });
  });

  test("a folder and its subfolders, in order", async () => {
    const folder = join(FOLDER, "folder");
    mkdirSync(join(folder, "b/.git"), { recursive: true });
    for (const name of ["z.json", "a.yaml", "b/c.yml", "b/.git/x.json", "b/.y.json", "n.txt"]) {
      writeFileSync(join(folder, name), name);
    }
    symlinkSync(join(folder, "z.json"), join(folder, "link.json"));
    symlinkSync(folder, join(folder, "b/loop"));
    symlinkSync(join(FOLDER, "nothing"), join(folder, "broken.json"));
    symlinkSync("circle.json", join(folder, "circle.json"));
    // A link must not expose files outside the folder.
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

  test("a folder in which a file is deleted meanwhile", async () => {
    const folder = join(FOLDER, "changing");
    mkdirSync(folder);
    for (const name of ["a.json", "b.json"]) writeFileSync(join(folder, name), name);
    const { items } = await openSource(folder, Readable.from([]));
    rmSync(join(folder, "a.json"));
    const found = await Array.fromAsync(items());
    assert.deepEqual(
      found.map((item) => (item.kind === "rejected" ? item.error.message : item.kind)),
      ["cannot be read: ENOENT: no such file or directory", "document"],
    );
  });

  test("archives, detected by their magic numbers, with unusual entries", async () => {
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

  test("zip archives with zip64 fields", async () => {
    const path = fileWith(zipOf(ENTRIES, { isZip64: true }));
    assert.equal((await openSource(path, Readable.from([]))).total, 7);
    assert.deepEqual(await inside(path), FOUND);
  });
});

describe("sources beyond the limits are rejected:", () => {
  const large = Buffer.alloc(LIMITS.documentBytes + 1, "x");
  const tooLarge = "is larger than 0.0625 MiB";

  test("the default limits", async () => {
    assert.deepEqual(SOURCE_LIMITS, {
      documentBytes: 16 * 1024 ** 2,
      entries: 1_000_000,
      expandedBytes: 8 * 1024 ** 3,
      expansionRatio: 200,
      ratioCheckedFrom: 64 * 1024 ** 2,
    });
    // A sparse file: it is rejected by its size, without being read.
    const path = fileWith("x");
    truncateSync(path, 100 * 1024 ** 3);
    const { items } = await openSource(path, Readable.from([]));
    const [item] = await Array.fromAsync(items());
    assert.equal(item?.kind === "rejected" && item.error.message, "is larger than 16 MiB");
    const zeros = zipOf([["a.json", Buffer.alloc(16 * 1024 ** 2)]]);
    assert.equal((await inside(fileWith(zeros), undefined, SOURCE_LIMITS)).length, 1);
  });

  test("large files and entries, and only they", async () => {
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
    assert.deepEqual(await inside(fileWith(large)), [`SOURCE: ${tooLarge}`]);
    assert.deepEqual(await inside("-", large), [`<stdin>: ${tooLarge}`]);
  });

  test("entries that are larger than they claim", async () => {
    const [line] = await inside(fileWith(zipOf([["a.json", large]], { claimed: 10 })));
    assert.match(line as string, /^SOURCE\/a\.json: is not a valid zip: too many bytes/);
  });

  test("decompression bombs", async () => {
    const zeros = Buffer.alloc(32 * 1024);
    const entries: Entries = Array.from({ length: 12 }, (_, i) => [`${i}.json`, zeros]);
    const reason = "SOURCE: expands to more than 20 times its size; the rest was not read";
    for (const pack of [zipOf, gzipTar, zstdTar]) {
      const found = await inside(fileWith(await pack(entries)));
      assert.equal(found.at(-1), reason);
      assert.ok(found.length < 12);
    }
  });

  test("archives that expand to too many bytes, or have too many entries", async () => {
    const random = (bytes: number) => randomBytes(bytes).toString("hex");
    const bytes: Entries = Array.from({ length: 20 }, (_, i) => [`${i}.json`, random(30_000)]);
    const limit = LIMITS.expandedBytes / 1024 ** 3;
    const tooMuch = `SOURCE: expands to more than ${limit} GiB; the rest was not read`;
    const many: Entries = Array.from({ length: 51 }, (_, i) => [`${i}.json`, "{}"]);
    for (const pack of [zipOf, gzipTar, zstdTar]) {
      assert.equal((await inside(fileWith(await pack(bytes)))).at(-1), tooMuch);
      const found = await inside(fileWith(await pack(many)));
      assert.deepEqual([found.length, found.at(-1)], [51, "SOURCE: has more than 50 files"]);
    }
    const incompressible: Entries = Array.from({ length: 40 }, () => ["x", randomBytes(30_000)]);
    const input = await inside("-", zipOf(incompressible));
    assert.equal(input.at(-1), `<stdin>: is larger than ${limit} GiB`);
  });

  test("archives that are invalid, unsupported or contain only another archive", async () => {
    const tar = await tarOf(ENTRIES);
    const last = async (bytes: Uint8Array) => (await inside(fileWith(bytes))).at(-1) as string;
    assert.match(await last(gzipSync(tar).subarray(0, 200)), /is not a valid gzip/);
    assert.match(await last(tar.subarray(0, 700)), /is not a valid tar/);
    assert.match(await last(zipOf(ENTRIES).subarray(0, 60)), /is not a valid zip/);
    assert.match(await last(zstdCompressSync(tar).subarray(0, 99)), /is not a valid zstd/);
    const unsupported = (name: string) => new RegExp(`: is compressed with ${name}, which is not`);
    const xz = Buffer.from("\xfd7zXZ\0\0\x04", "latin1");
    assert.match(await last(xz), unsupported("xz"));
    assert.match(await last(Buffer.from("BZh91AY&SY")), unsupported("bzip2"));
    const nested = /: contains another archive, which is not supported$/;
    assert.match(await last(gzipSync(gzipSync("x"))), nested);
    assert.match(await last(zstdCompressSync(gzipSync("x"))), nested);
    assert.match(await last(gzipSync(zipOf(ENTRIES))), nested);
  });
});

async function gzipTar(entries: Entries): Promise<Buffer> {
  return gzipSync(await tarOf(entries));
}

async function zstdTar(entries: Entries): Promise<Buffer> {
  return zstdCompressSync(await tarOf(entries));
}
