import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import type { ArchivedFile } from "./archive.ts";
import { tarGzipOf } from "./tar.ts";

const TIME = Date.UTC(2026, 1, 3, 4, 5, 6);

async function bytesOf(files: readonly ArchivedFile[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(tarGzipOf(from(files))));
}

async function* from<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

/** The files as tar-stream reads them. */
async function read(archive: Buffer): Promise<ArchivedFile[]> {
  const found: ArchivedFile[] = [];
  const reader = extract();
  reader.end(gunzipSync(archive));
  for await (const entry of reader) {
    let text = "";
    for await (const chunk of entry) text += chunk;
    const { name, mtime, mode, type } = entry.header;
    assert.deepEqual([mode, type], [0o644, "file"]);
    found.push({ path: name, text, time: mtime?.getTime() ?? 0 });
  }
  return found;
}

describe("tar archives", () => {
  test("are read by another implementation, whatever the lengths of paths and contents", async () => {
    const lengths = [1, 99, 100, 101, 130, 980, 990, 1_000, 5_000];
    const files = lengths.flatMap((length, at) =>
      [`${at}`, `${at}ä`].map((name) => ({
        path: name.padEnd(length, "x"),
        text: "é".repeat(length),
        time: TIME + at * 1_000,
      })),
    );
    assert.deepEqual(await read(await bytesOf(files)), files);
    assert.deepEqual(await read(await bytesOf([])), []);
  });

  test("of the same files have the same bytes", async () => {
    const files = [{ path: "a.json", text: "{}", time: TIME }];
    assert.ok((await bytesOf(files)).equals(await bytesOf(files)));
  });

  test("stop reading files when they are canceled, and fail with them", async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<ArchivedFile> {
      try {
        for (;;) yield { path: "a.json", text: crypto.randomUUID().repeat(1_000), time: TIME };
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of tarGzipOf(endless())) break;
    while (!isClosed) await new Promise(setImmediate);
    async function* failing(): AsyncGenerator<ArchivedFile> {
      yield { path: "a.json", text: "{}", time: TIME };
      throw new Error("gone");
    }
    await assert.rejects(Array.fromAsync(tarGzipOf(failing())), /gone/);
  });
});
