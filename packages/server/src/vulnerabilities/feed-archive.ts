import { Readable } from "node:stream";
import { ZipFile } from "yazl";

/** A file of an archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly text: string;
  /** When it last changed, in milliseconds. */
  readonly time: number;
}

/** Files in work at a time: packing one is too short to wait for each. */
const AT_ONCE = 100;

/** What a zip can say: its clock begins in 1980. */
const EARLIEST = Date.UTC(1980, 0, 2);

/**
 * A zip archive of files, made as it is read: however many there are, a few are in memory.
 *
 * @example response.body = archiveOf(documents());
 */
export async function* archiveOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const filling = fill(zip, files, left).catch((error: Error) => output.destroy(error));
  try {
    for await (const chunk of output) yield chunk as Uint8Array;
    await filling;
  } finally {
    // Whoever reads no further must not keep the other half waiting for its turn.
    leave();
  }
}

async function fill(
  zip: ZipFile,
  files: AsyncIterable<ArchivedFile>,
  left: Promise<void>,
): Promise<void> {
  let hasLeft = false;
  left.then(() => {
    hasLeft = true;
  });
  let number = 0;
  for await (const { path, text, time } of files) {
    if (hasLeft) return;
    number += 1;
    const content = Buffer.from(text);
    const options = { mtime: new Date(Math.max(time, EARLIEST)), mode: 0o100644 };
    if (number % AT_ONCE > 0) zip.addBuffer(content, path, options);
    // It is asked for when all before it have gone out.
    else {
      const turn = new Promise<void>((resolve) => {
        zip.addReadStreamLazy(path, { ...options, size: content.length }, (done) => {
          done(null, Readable.from([content]));
          resolve();
        });
      });
      await Promise.race([turn, left]);
    }
  }
  zip.end();
}
