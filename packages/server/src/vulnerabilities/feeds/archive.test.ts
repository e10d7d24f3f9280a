import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromBuffer } from "yauzl";
import { type ArchivedFile, archiveOf } from "./archive.ts";

const LONG = JSON.stringify({ text: "long ".repeat(20_000) });

/** The last file is long, so that another thread compresses it. */
function textAt(at: number, count: number): string {
  return at === count - 1 ? LONG : `{"number":${at}}`;
}

async function* files(count: number): AsyncGenerator<ArchivedFile> {
  for (let at = 0; at < count; at++) {
    yield {
      path: `folder/ä-${at}.json`,
      text: textAt(at, count),
      time: Date.UTC(2026, 1, 3, 4, 5, 6),
    };
  }
}

async function bytesOf(count: number, maxFiles?: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of archiveOf(files(count), maxFiles)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The names of all files, and contents and times of the first and last, as yauzl reads them. */
function read(archive: Buffer): Promise<{ name: string; text: string; time: number }[]> {
  const found: { name: string; text: string; time: number }[] = [];
  return new Promise((resolve, reject) => {
    fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on("error", reject);
      zip.on("end", () => resolve(found));
      zip.on("entry", (entry) => {
        const isInspected = found.length === 0 || found.length === zip.entryCount - 1;
        if (!isInspected) {
          found.push({ name: entry.fileName, text: "", time: 0 });
          return zip.readEntry();
        }
        zip.openReadStream(entry, async (failed, stream) => {
          if (failed) return reject(failed);
          let text = "";
          for await (const chunk of stream) text += chunk;
          const time = entry.getLastModDate({ timezone: "UTC" }).getTime();
          found.push({ name: entry.fileName, text, time });
          zip.readEntry();
        });
      });
      zip.readEntry();
    });
  });
}

describe("archives", () => {
  const cases: [count: number, maxFiles?: number][] = [[0], [1], [300], [300, 300]];
  for (const [count, maxFiles] of cases) {
    const format = maxFiles === undefined ? "zip" : "zip64";
    test(`of ${count} files are read by another implementation, as ${format}`, async () => {
      const archive = await bytesOf(count, maxFiles);
      assert.equal(archive.includes("PK\x06\x06"), format === "zip64");
      const found = await read(archive);
      assert.equal(found.length, count);
      for (const at of new Set([0, count - 1])) {
        if (count === 0) continue;
        assert.deepEqual(found[at], {
          name: `folder/ä-${at}.json`,
          text: textAt(at, count),
          time: Date.UTC(2026, 1, 3, 4, 5, 6),
        });
      }
    });
  }

  test("of the same files have the same bytes", async () => {
    assert.ok((await bytesOf(10)).equals(await bytesOf(10)));
  });
});
