import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { SOURCE_LIMITS } from "@wharf/advisories/archives";
import { tarOf, zipOf } from "../../../../../advisories/test/archives.ts";
import { itemsOf } from "./items.ts";

const TIME = Date.UTC(2026, 0, 2);

function fileOf(name: string, bytes: Uint8Array | string, isInFolder = false) {
  const content = new Uint8Array(Buffer.from(bytes));
  return { name, file: new File([content], name, { lastModified: TIME }), isInFolder };
}

/** The items of files, one line each. */
async function inside(...files: ReturnType<typeof fileOf>[]): Promise<string[]> {
  const items = await Array.fromAsync(itemsOf(files, () => {}));
  return items.map((item) => {
    if (item.kind === "document") return `${item.name}=${Buffer.from(item.bytes)}`;
    return item.kind === "skipped" ? `${item.name} skipped` : `${item.name}: ${item.error.message}`;
  });
}

const ENTRIES = [
  ["a.json", "{}"],
  ["../../b.yaml", "b"],
  ["README.md", "#"],
] as const;

describe("imported files", () => {
  test("are documents whatever their name is, if they were chosen", async () => {
    assert.deepEqual(await inside(fileOf("notes.txt", "x")), ["notes.txt=x"]);
    assert.deepEqual(await inside(fileOf("notes.txt.gz", gzipSync("x"))), ["notes.txt.gz=x"]);
  });

  test("of folders are documents by their name only", async () => {
    const found = await inside(
      fileOf("in/a.json", "a", true),
      fileOf("in/b.txt", "b", true),
      fileOf("in/.c.json", "c", true),
      fileOf("in/d.yaml.gz", gzipSync("d"), true),
      fileOf("in/e.bin.gz", gzipSync("e"), true),
    );
    assert.deepEqual(found, [
      "in/a.json=a",
      "in/b.txt skipped",
      "in/.c.json skipped",
      "in/d.yaml.gz=d",
      "in/e.bin.gz skipped",
    ]);
  });

  test("have their modification time; entries of archives have their own", async () => {
    const tar = await tarOf([["a.json", "{}"]]);
    const files = [fileOf("one.json", "1"), fileOf("two.json", "2", true), fileOf("x.tar", tar)];
    const items = await Array.fromAsync(itemsOf(files, () => {}));
    const documents = items.filter((item) => item.kind === "document");
    assert.deepEqual(
      documents.map(({ name, isEntry }) => [name, isEntry]),
      [
        ["one.json", false],
        ["two.json", true],
        ["x.tar/a.json", true],
      ],
    );
    assert.deepEqual(
      documents.map(({ time }) => time === TIME),
      [true, true, false],
    );
  });

  test("may be archives, whose names are only displayed", async () => {
    const tar = await tarOf(ENTRIES);
    for (const [name, bytes] of [
      ["x.zip", zipOf(ENTRIES)],
      ["x.tar", tar],
      ["x.tgz", gzipSync(tar)],
    ] as const) {
      const found = await inside(fileOf(name, bytes));
      const expected = [`${name}/a.json={}`, `${name}/../../b.yaml=b`, `${name}/README.md skipped`];
      assert.deepEqual(found.slice(0, 3), expected);
    }
  });

  test("that are damaged or unsupported do not stop the others", async () => {
    const found = await inside(
      fileOf("a.zip", zipOf(ENTRIES).subarray(0, -1)),
      fileOf("b.json.zst", zstdCompressSync("{}")),
      fileOf("c.gz", gzipSync("{}").subarray(0, -1)),
      fileOf("d.json", "{}"),
    );
    assert.match(found[0] as string, /^a\.zip: is not a valid zip/);
    assert.match(found[1] as string, /^b\.json\.zst: is compressed with zstd, which is not/);
    assert.match(found[2] as string, /^c\.gz: is not a valid gzip/);
    assert.deepEqual(found.slice(3), ["d.json={}"]);
  });

  test("are counted, and expand to the limit of a browser at most", async () => {
    let read = 0;
    const limits = { ...SOURCE_LIMITS, ratioCheckedFrom: 1000, expansionRatio: 10 };
    const bomb = fileOf("bomb.json.gz", gzipSync(Buffer.alloc(1024 ** 2)));
    const items = await Array.fromAsync(
      itemsOf([bomb, fileOf("a.json", "{}")], () => read++, limits),
    );
    assert.equal(read, 2);
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ["rejected", "document"],
    );
    const claimed = 15 * 1024 ** 2;
    const entries = Array.from({ length: 40 }, (_, at) => [`${at}.json`, randomBytes(80_000)]);
    const large = zipOf(entries as never, { claimed });
    const found = await inside(fileOf("large.zip", large));
    // Claimed sizes count: 34 of 15 MiB are within 512 MiB.
    assert.deepEqual(
      [found.length, found.at(-1)],
      [35, "large.zip: expands to more than 0.5 GiB; the rest was not read"],
    );
  });
});
