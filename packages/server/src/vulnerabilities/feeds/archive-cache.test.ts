import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../../test/support/server/scratch-folder.ts";
import { ArchiveCache, type OpenArchive } from "./archive-cache.ts";

const LIMITS = { maxBytes: 1_000_000, maxFiles: 3, maxFilesPerGroup: 2 };

async function* chunksOf(...texts: string[]) {
  yield* texts;
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

const opened = (archive: OpenArchive | undefined): OpenArchive => {
  assert.ok(archive);
  return archive;
};

test("an archive that was read is cached, without a file that others find", async () => {
  const folder = scratchFolder("wharf-archives-");
  const archives = new ArchiveCache(folder, LIMITS);
  const key = { state: "1", group: "a" };
  const content = "x".repeat(600_000);
  const made = archives.caching(key, chunksOf(content.slice(0, 10), content.slice(10), "!"));
  assert.equal(archives.open(key), undefined);
  assert.equal(await textOf(made), `${content}!`);
  assert.deepEqual(readdirSync(folder), []);
  // Concurrent reads do not disturb each other.
  const texts = await Promise.all([1, 2, 3].map(() => textOf(opened(archives.open(key)).content)));
  assert.deepEqual(new Set(texts), new Set([`${content}!`]));
  const again = opened(archives.open(key));
  again.content.destroy();
  assert.equal(again.bytes, 600_001);
  assert.equal(archives.open({ state: "2", group: "a" }), undefined);
});

test("an archive that was not read to its end, or failed, is not kept", async () => {
  const archives = new ArchiveCache(scratchFolder("wharf-archives-"), LIMITS);
  const key = { state: "1", group: "a" };
  const parts = ["a".repeat(300_000), "b".repeat(300_000)];
  const canceled = archives.caching(key, chunksOf(...parts));
  await canceled.next();
  await canceled.return(undefined);
  assert.equal(archives.open(key), undefined);
  async function* failing() {
    yield* parts;
    throw new Error("the store failed");
  }
  await assert.rejects(textOf(archives.caching(key, failing())), /the store failed/);
  assert.equal(archives.open(key), undefined);
});

test("an archive that cannot be written, or is too large, is complete and not kept", async () => {
  const key = { state: "1", group: "a" };
  const large = "x".repeat(1_000_001);
  const archives = new ArchiveCache(scratchFolder("wharf-archives-"), LIMITS);
  assert.equal(await textOf(archives.caching(key, chunksOf(large))), large);
  assert.equal(archives.open(key), undefined);
  const nowhere = new ArchiveCache("/nowhere/at/all", LIMITS);
  assert.equal(await textOf(nowhere.caching(key, chunksOf("a", "b"))), "ab");
  assert.equal(nowhere.open(key), undefined);
});

test("a full disk ends only the copy", () => {
  const program = `
    const { ArchiveCache } = await import(${JSON.stringify(join(import.meta.dirname, "archive-cache.ts"))});
    const archives = new ArchiveCache(${JSON.stringify(scratchFolder("wharf-archives-"))});
    const key = { state: "1", group: "a" };
    const chunks = (async function* () { for (let n = 0; n < 10; n++) yield "x".repeat(300_000); })();
    let bytes = 0;
    for await (const chunk of archives.caching(key, chunks)) bytes += chunk.length;
    console.log(bytes, archives.open(key));`;
  // The limit of a file has the effect of a full disk: a write is cut short, and the next one fails.
  const limited = 'ulimit -f 1000; exec "$0" "$@"';
  const args = ["-c", limited, process.execPath, "--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync("sh", args, { encoding: "utf8" });
  assert.equal(stdout, "3000000 undefined\n", stderr);
});

test("the oldest are dropped, those of the same group first, and reads of them go on", async () => {
  const archives = new ArchiveCache(scratchFolder("wharf-archives-"), LIMITS);
  const keep = async (group: string, state: string, text = state) => {
    await textOf(archives.caching({ group, state }, chunksOf(text)));
  };
  const isKept = (state: string) => {
    const found = archives.open({ group: "", state });
    found?.content.destroy();
    return found !== undefined;
  };
  await keep("b", "b1");
  await keep("a", "a1");
  const reading = opened(archives.open({ group: "a", state: "a1" }));
  await keep("a", "a2");
  await keep("a", "a3");
  assert.deepEqual(["a1", "a2", "a3", "b1"].map(isKept), [false, true, true, true]);
  assert.equal(await textOf(reading.content), "a1");
  await keep("c", "c1");
  assert.deepEqual(["a2", "a3", "b1", "c1"].map(isKept), [false, true, true, true]);
  await keep("d", "d1", "x".repeat(LIMITS.maxBytes - 2));
  assert.deepEqual(["a3", "b1", "c1", "d1"].map(isKept), [false, false, true, true]);
});
