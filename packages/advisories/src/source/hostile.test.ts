import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
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

describe("zip directories", () => {
  const zip = zipOf(ENTRIES);
  const end = zip.length - 22;
  const directory = zip.readUInt32LE(end + 16);

  /** The items after a number was changed. */
  const changed = (at: number, value: number, bytes: 1 | 2 | 4) => {
    const copy = Buffer.from(zip);
    copy.writeUIntLE(value, at, bytes);
    return inside(copy);
  };
  const invalid = (reason: string) => `: is not a valid zip: ${reason}`;

  test("that are truncated, or are of several parts, are rejected", async () => {
    assert.deepEqual(await inside(zip.subarray(0, -1)), [
      invalid("end of central directory record not found"),
    ]);
    assert.deepEqual(await inside(zip.subarray(0, 10)), [
      invalid("end of central directory record not found"),
    ]);
    // A comment of ten bytes that are not there, and bytes that no comment accounts for.
    assert.deepEqual(await changed(end + 20, 10, 2), [
      invalid("end of central directory record not found"),
    ]);
    assert.deepEqual(await inside(Buffer.concat([zip, Buffer.from("x")])), [
      invalid("end of central directory record not found"),
    ]);
    assert.deepEqual(await changed(end + 4, 1, 2), [invalid("it is one of several parts")]);
  });

  test("that claim other positions, sizes or counts are rejected", async () => {
    const outside = invalid("the central directory is too long");
    assert.deepEqual(await changed(end + 16, directory + 1000, 4), [outside]);
    assert.deepEqual(await changed(end + 12, 1000, 4), [outside]);
    assert.deepEqual(await changed(end + 16, directory - 1, 4), [invalid("bad entry signature")]);
    const both = ["/a.json={}", "/b.json=[]"];
    assert.deepEqual(await changed(end + 10, 3, 2), [
      ...both,
      invalid("the central directory is truncated"),
    ]);
    assert.deepEqual(await changed(end + 10, 1, 2), both.slice(0, 1));
    assert.deepEqual(await changed(directory + 28, 0xffff, 2), [
      invalid("the central directory is truncated"),
    ]);
  });

  test("with entries outside of the file, or elsewhere, reject them one by one", async () => {
    const position = directory + 42;
    const rest = "/b.json=[]";
    const outside = invalid("a position is outside of the file");
    assert.deepEqual(await changed(position, 1e9, 4), [`/a.json${outside}`, rest]);
    const elsewhere = invalid("bad local signature");
    assert.deepEqual(await changed(position, 1, 4), [`/a.json${elsewhere}`, rest]);
    const long = `/a.json${invalid("an entry is outside of the file")}`;
    assert.deepEqual(await changed(directory + 20, 1e6, 4), [long, rest]);
    const padded = `/a.json${invalid("an entry is mostly padding")}`;
    const big = zipOf([["a.json", randomBytes(5000)], ...ENTRIES.slice(1)]);
    const copy = Buffer.from(big);
    copy.writeUInt32LE(2, big.readUInt32LE(big.length - 6) + 24);
    assert.deepEqual(await inside(copy), [padded, rest]);
    const few = `/a.json${invalid("too few bytes: expected 3")}`;
    assert.deepEqual(await changed(directory + 24, 3, 4), [few, rest]);
    const many = `/a.json${invalid("too many bytes: expected 1")}`;
    assert.deepEqual(await changed(directory + 24, 1, 4), [many, rest]);
  });

  test("with stored entries have equal sizes", async () => {
    const stored = Buffer.from(zip);
    stored.writeUInt16LE(0, directory + 10);
    const reason = `/a.json${invalid("a stored entry has two sizes")}`;
    assert.deepEqual(await inside(stored), [reason, "/b.json=[]"]);
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
    // Only sometimes the end is seen to be missing; the checksum always is.
    const reason = /^: is not a valid gzip: (?:wrong checksum, or )?unexpected end of file$/;
    const [problem = "", ...none] = await inside(whole.subarray(0, -9));
    assert.match(problem, reason);
    assert.deepEqual(none, []);
    const tar = await tarOf([
      ["a.json", "{}"],
      ["b.json", randomBytes(50_000).toString("hex")],
    ]);
    const packed = gzipSync(tar);
    const found = await inside(packed.subarray(0, packed.length / 2));
    assert.deepEqual(found.slice(0, -1), ["/a.json={}"]);
    assert.match(found.at(-1) ?? "", reason);
  });

  test("with a wrong checksum, a wrong size or bytes after them are rejected", async () => {
    const whole = gzipSync("x".repeat(1000));
    const rejected = /^: is not a valid gzip: (wrong checksum|invalid gzip data)/;
    for (const at of [-8, -5, -4, -1]) {
      const changed = Buffer.from(whole);
      changed[whole.length + at] = (changed[whole.length + at] as number) ^ 1;
      assert.match((await inside(changed))[0] ?? "", rejected, `${at}`);
      // The checksum of a member before the last one.
      assert.match((await inside(Buffer.concat([changed, whole])))[0] ?? "", rejected, `${at}`);
    }
    for (const more of ["\0", "abc", "more than a header"]) {
      const found = await inside(Buffer.concat([whole, Buffer.from(more)]));
      assert.match(found[0] ?? "", rejected, more);
    }
    assert.match(
      (await inside(Buffer.concat([whole, whole.subarray(0, -9)])))[0] ?? "",
      /valid gzip/,
    );
  });

  test("with an endless header or endless blocks without content are rejected", async () => {
    const header = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
    const name = Buffer.alloc(1024 ** 2, "n");
    const idle = [": is not a valid gzip: no content in 262144 bytes"];
    assert.deepEqual(await inside(Buffer.concat([header, name])), idle);
    header[3] = 0;
    // Stored blocks of no bytes.
    const endless = Buffer.alloc(3 * 5 * 100_000, Buffer.from([0, 0, 0, 0xff, 0xff]));
    assert.deepEqual(await inside(Buffer.concat([header, endless])), idle);
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
