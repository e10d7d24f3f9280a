import { Gunzip } from "fflate";
import type { Chunks } from "./chunks.ts";
import { crc32 } from "./crc32.ts";

/** Compressed bytes per step: deflate expands to at most a thousandfold, so a step yields at most some 4 MiB. */
const STEP_BYTES = 4096;

/** Compressed bytes that may yield nothing: an endless header would be buffered. */
const MAX_IDLE_BYTES = 256 * 1024;

/** Checksum and size at the end of each member. */
const TRAILER_BYTES = 8;

/**
 * Decompresses gzip of one or several members, with their checksums and sizes, which fflate does not compare.
 *
 * @example for await (const chunk of gunzip(createReadStream("osv.json.gz"))) …
 */
export async function* gunzip(compressed: Chunks): AsyncGenerator<Uint8Array> {
  const recent = new RecentBytes();
  const out: Uint8Array[] = [];
  let checksum = 0;
  let size = 0;
  let idle = 0;
  const stream = new Gunzip((chunk) => {
    if (chunk.length === 0) return;
    checksum = crc32(chunk, checksum);
    size += chunk.length;
    idle = 0;
    out.push(chunk);
  });
  const endMember = (end: number) => {
    const trailer = recent.before(end, TRAILER_BYTES);
    if (trailer === undefined) throw new Error("unexpected end of file");
    const view = new DataView(trailer.buffer);
    const isSame =
      view.getUint32(0, true) === checksum && view.getUint32(4, true) === size % 2 ** 32;
    if (!isSame) throw new Error("wrong checksum, or unexpected end of file");
    checksum = 0;
    size = 0;
  };
  stream.onmember = endMember;
  const push = (bytes: Uint8Array, isLast: boolean) => {
    try {
      stream.push(bytes, isLast);
    } catch (error) {
      const { message } = error as Error;
      throw message === "unexpected EOF" ? new Error("unexpected end of file") : error;
    }
  };
  for await (const chunk of compressed) {
    for (let at = 0; at < chunk.length; at += STEP_BYTES) {
      const step = chunk.subarray(at, at + STEP_BYTES);
      recent.add(step);
      idle += step.length;
      push(step, false);
      if (idle > MAX_IDLE_BYTES) throw new Error(`no content in ${MAX_IDLE_BYTES} bytes`);
      yield* out.splice(0);
    }
  }
  push(new Uint8Array(), true);
  yield* out.splice(0);
  endMember(recent.end);
}

/** The last bytes of a stream: those in which a member may have ended. */
class RecentBytes {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  end = 0;

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.end += chunk.length;
    while (this.#length - (this.#chunks[0]?.length ?? 0) > MAX_IDLE_BYTES + TRAILER_BYTES) {
      this.#length -= this.#chunks.shift()?.length ?? 0;
    }
  }

  /** The bytes before a position of the stream; undefined if there are fewer. */
  before(position: number, length: number): Uint8Array<ArrayBuffer> | undefined {
    const bytes = new Uint8Array(length);
    let at = position - length;
    let start = this.end - this.#length;
    if (at < start) return undefined;
    for (const chunk of this.#chunks) {
      const end = start + chunk.length;
      while (at < Math.min(end, position)) {
        bytes[at - position + length] = chunk[at - start] as number;
        at++;
      }
      start = end;
    }
    return bytes;
  }
}
