import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LineWriter } from "./line-writer.ts";

/** A pipe whose two ends do not block. */
class Pipe {
  readonly reader: number;
  readonly writer: number;
  readonly #bytes = Buffer.alloc(1024 * 1024);

  constructor(t: TestContext) {
    const folder = mkdtempSync(join(tmpdir(), "wharf-pipe-"));
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    this.reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    // The writing end stays open: its LineWriter may try again later, and would write to the file or socket
    // that has the same descriptor by then.
    t.after(() => rmSync(folder, { recursive: true }));
  }

  /** Reads the content of the pipe. */
  read(): Buffer {
    try {
      return Buffer.from(this.#bytes.subarray(0, readSync(this.reader, this.#bytes)));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "EAGAIN");
      return Buffer.alloc(0);
    }
  }

  /** Reads until a line has arrived. */
  async readUntil(line: string): Promise<string[]> {
    let bytes = Buffer.alloc(0);
    while (!bytes.toString().endsWith(`${line}\n`)) {
      bytes = Buffer.concat([bytes, this.read()]);
      await sleep(1);
    }
    return bytes.toString().split("\n").slice(0, -1);
  }
}

function writerTo(pipe: Pipe) {
  const dropped: number[] = [];
  const lines = new LineWriter(pipe.writer, {
    droppedLine: (count) => `${count} dropped\n`,
    onDropped: (count) => dropped.push(count),
    maxBufferedBytes: 1024 * 1024,
  });
  return { lines, total: () => dropped.reduce((sum, count) => sum + count, 0) };
}

const LINES = 20_000;
const lineOf = (at: number) => `line ${at} ${"x".repeat(100)}`;

test("lines that nobody reads are dropped and counted, and the log continues when it is read", async (t) => {
  const pipe = new Pipe(t);
  t.after(() => closeSync(pipe.reader));
  const { lines, total } = writerTo(pipe);
  for (let at = 0; at < LINES; at++) {
    lines.write(`${lineOf(at)}\n`);
    // Batches are written meanwhile.
    if (at % 1_000 === 0) await sleep(1);
  }
  const dropped = total();
  assert.ok(dropped > 0 && dropped < LINES, `${dropped} were dropped`);
  const received = await pipe.readUntil(`${dropped} dropped`);
  assert.deepEqual(
    received.slice(0, -1),
    Array.from({ length: LINES - dropped }, (_, at) => lineOf(at)),
  );
  lines.write("again\n");
  assert.deepEqual(await pipe.readUntil("again"), ["again"]);
  assert.equal(total(), dropped);
});

test("a reader that is gone is no error", async (t) => {
  const pipe = new Pipe(t);
  const { lines, total } = writerTo(pipe);
  closeSync(pipe.reader);
  for (let at = 0; at < 10; at++) lines.write(`${lineOf(at)}\n`);
  while (total() < 10) await sleep(1);
  lines.write("dropped at once\n");
  assert.equal(total(), 11);
  lines.flushSync();
});

test("a line longer than a chunk is written whole", async (t) => {
  const pipe = new Pipe(t);
  t.after(() => closeSync(pipe.reader));
  const { lines } = writerTo(pipe);
  const long = "é".repeat(100_000);
  for (const line of ["before", long, "after"]) lines.write(`${line}\n`);
  assert.deepEqual(await pipe.readUntil("after"), ["before", long, "after"]);
});

test("the buffer is written at exit", (t) => {
  const pipe = new Pipe(t);
  t.after(() => closeSync(pipe.reader));
  const { lines } = writerTo(pipe);
  lines.write("last\n");
  lines.flushSync();
  assert.equal(pipe.read().toString(), "last\n");
});
