/**
 * The program of a storage thread: it hashes and writes what uploads receive, and hashes what is stored, which takes
 * seconds of CPU for each gigabyte, beside the event loop that answers requests.
 */
import { createHash, type Hash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import type { DiskAnswer, DiskRequest } from "./disk-messages.ts";

interface OpenFile {
  readonly fd: number;
  readonly path: string;
  readonly hash: Hash;
}

/** Bytes that are read at a time: other uploads of the thread wait as long. */
const JOIN_BYTES = 1024 * 1024;

const port = parentPort as NonNullable<typeof parentPort>;
const files = new Map<number, OpenFile>();

function fileOf(id: number): OpenFile {
  const file = files.get(id);
  if (file === undefined) throw new Error("the file is not open");
  return file;
}

function close(id: number): OpenFile {
  const file = fileOf(id);
  files.delete(id);
  closeSync(file.fd);
  return file;
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

async function join({
  algorithm,
  paths,
  to,
}: Extract<DiskRequest, { kind: "join" }>): Promise<string> {
  const hash = createHash(algorithm);
  const buffer = Buffer.allocUnsafe(JOIN_BYTES);
  const target = paths.length === 1 ? undefined : openSync(to, "wx", 0o600);
  try {
    for (const path of paths) {
      const source = openSync(path, "r");
      try {
        for (let read = 1; read > 0; ) {
          read = readSync(source, buffer, 0, JOIN_BYTES, null);
          const bytes = buffer.subarray(0, read);
          hash.update(bytes);
          if (target !== undefined) writeAll(target, bytes);
          await setImmediate();
        }
      } finally {
        closeSync(source);
      }
    }
    if (target !== undefined) fsyncSync(target);
  } catch (error) {
    if (target !== undefined) rmSync(to, { force: true });
    throw error;
  } finally {
    if (target !== undefined) closeSync(target);
  }
  return hash.digest("hex");
}

async function answerTo(request: DiskRequest): Promise<Omit<DiskAnswer, "id">> {
  const { id } = request;
  switch (request.kind) {
    case "open": {
      const fd = openSync(request.path, "wx", 0o600);
      files.set(id, { fd, path: request.path, hash: createHash("sha256") });
      return {};
    }
    case "write": {
      const { fd, hash } = fileOf(id);
      const bytes = new Uint8Array(request.buffer, 0, request.length);
      hash.update(bytes);
      writeAll(fd, bytes);
      return { buffer: request.buffer };
    }
    case "read": {
      const fd = openSync(request.path, "r");
      files.set(id, { fd, path: request.path, hash: createHash(request.algorithm) });
      return {};
    }
    case "hash": {
      const { fd, hash } = fileOf(id);
      const read = Buffer.allocUnsafe(request.length);
      const bytes = readSync(fd, read, 0, request.length, null);
      hash.update(read.subarray(0, bytes));
      return { bytes };
    }
    case "close":
      return { hex: close(id).hash.digest("hex") };
    case "finish": {
      const { fd, hash } = fileOf(id);
      fsyncSync(fd);
      close(id);
      return { hex: hash.digest("hex") };
    }
    case "abort":
      // It may not have been opened.
      if (files.has(id)) rmSync(close(id).path, { force: true });
      return {};
    case "join":
      return { hex: await join(request) };
  }
}

port.on("message", async (request: DiskRequest) => {
  const { id } = request;
  try {
    const answer = await answerTo(request);
    port.postMessage({ id, ...answer }, answer.buffer === undefined ? [] : [answer.buffer]);
  } catch (thrown) {
    const { message, code } = thrown as NodeJS.ErrnoException;
    port.postMessage({ id, error: { message, code } } satisfies DiskAnswer);
  }
});
