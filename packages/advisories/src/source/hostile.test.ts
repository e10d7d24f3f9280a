import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Entries, tarOf, zipOf } from "../../test/archives.ts";
import { mutatedBytes } from "../../test/mutations.ts";
import { randomOf } from "../../test/random-advisories.ts";
import { openSource } from "./source.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "wharf-hostile-test-"));
after(() => rmSync(FOLDER, { recursive: true }));

const PATH = join(FOLDER, "archive");
const ENTRIES: Entries = [
  ["a.json", "{}"],
  ["b.json", "[]"],
];

/** The items of an archive, one line each. */
async function inside(bytes: Uint8Array): Promise<string[]> {
  writeFileSync(PATH, bytes);
  const { items } = await openSource(PATH, Readable.from([]));
  const found = await Array.fromAsync(items());
  return found.map((item) => {
    const name = item.name.replace(PATH, "");
    if (item.kind === "document") return `${name}=${Buffer.from(item.bytes)}`;
    return item.kind === "skipped" ? `${name} skipped` : `${name}: ${item.error.message}`;
  });
}

/** The header block of a tar entry. */
function header(name: string, size: number | string, type: string): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write("0000644\0", 100);
  block.write(typeof size === "string" ? size : `${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function padded(text: string): Buffer {
  const block = Buffer.alloc(Math.ceil(text.length / 512) * 512);
  block.write(text);
  return block;
}

const pax = (record: string) => {
  const length = record.length + 4;
  const line = `${length} ${record}\n`;
  return [header("pax", line.length, "x"), padded(line)];
};

const file = (name: string, type = "0") => [header(name, 2, type), padded("{}")];
const END = Buffer.alloc(1024);
const LAST = [...file("last.json"), END];

describe("zip files", () => {
  test("reject encrypted, corrupt and unsupported entries one by one", async () => {
    const both = (reason: string) => ["/a.json", "/b.json"].map((name) => `${name}: ${reason}`);
    assert.deepEqual(await inside(zipOf(ENTRIES, { flags: 1 })), both("is encrypted"));
    assert.deepEqual(await inside(zipOf(ENTRIES, { checksum: 7 })), both("has a wrong checksum"));
    for (const line of await inside(zipOf(ENTRIES, { method: 99 }))) {
      assert.match(line, /unsupported compression method: 99$/);
    }
  });

  test("skip links", async () => {
    const attributes = (0o120777 << 16) >>> 0;
    assert.deepEqual(await inside(zipOf(ENTRIES, { attributes })), [
      "/a.json skipped",
      "/b.json skipped",
    ]);
  });
});

describe("tar files", () => {
  test("skip links and devices, and reject sparse files", async () => {
    const kinds = [..."12346"].flatMap((type) => file(`${type}.json`, type));
    const sparse = [...pax("GNU.sparse.major=1"), ...file("sparse.json")];
    const archive = Buffer.concat([...kinds, ...file("S.json", "S"), ...sparse, ...LAST]);
    const found = await inside(archive);
    const reason = "is an unsupported type of file";
    assert.deepEqual(
      found.filter((line) => !/^\/[12346]\.json skipped$/.test(line)),
      [`/S.json: ${reason}`, `/sparse.json: ${reason}`, "/last.json={}"],
    );
  });

  test("use the names of pax headers", async () => {
    const archive = Buffer.concat([...pax("path=../../pax.json"), ...file("x"), ...LAST]);
    assert.deepEqual(await inside(archive), ["/../../pax.json={}", "/last.json={}"]);
  });

  test("reject a header of megabytes without buffering it", async () => {
    const size = 8 * 1024 * 1024;
    for (const type of ["x", "g", "L"]) {
      const bomb = Buffer.concat([header("x", size, type), Buffer.alloc(size), ...LAST]);
      const reason = ": is not a valid tar: Header exceeds max size";
      assert.deepEqual(await inside(bomb), [reason], type);
    }
  });

  test("with wrong sizes come to an end", async () => {
    for (const size of ["-1", "abc", "99999999999999", "1e9"]) {
      const lying = Buffer.concat([...pax(`size=${size}`), ...file("a.json"), ...LAST]);
      const found = await inside(lying);
      assert.ok(found.length > 0, size);
    }
    assert.ok((await inside(Buffer.concat([header("a.json", "77777777777\0", "0")]))).length > 0);
  });
});

describe("gzip files", () => {
  test("may consist of several members", async () => {
    assert.deepEqual(await inside(Buffer.concat([gzipSync("{"), gzipSync("}")])), ["={}"]);
  });

  test("that are truncated are rejected, except for the documents before", async () => {
    const whole = gzipSync("x".repeat(1000));
    const reason = ": is not a valid gzip: unexpected end of file";
    assert.deepEqual(await inside(whole.subarray(0, -9)), [reason]);
    const tar = Buffer.concat([...file("a.json"), ...file("b.json"), ...LAST]);
    const found = await inside(gzipSync(tar, { level: 0 }).subarray(0, 1300));
    assert.deepEqual([found[0], found.length], ["/a.json={}", 2]);
  });
});

test("mutated archives are read or rejected, and come to an end", async () => {
  const random = randomOf(5);
  const tar = await tarOf(ENTRIES);
  const valid = [tar, gzipSync(tar), zipOf(ENTRIES), gzipSync("{}")];
  for (let round = 0; round < 400; round++) {
    const bytes = mutatedBytes(valid[round % valid.length] as Buffer, random);
    for (const line of await inside(bytes)) assert.notEqual(line, "");
  }
});
