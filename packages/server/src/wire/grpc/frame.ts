/** Length-prefixed messages: one flag byte, four bytes of length, the message. */
import { invalidArgument, WharfError } from "../../lib/errors.ts";

export const COMPRESSED = 0x01;
export const TRAILERS = 0x80;
const PREFIX_BYTES = 5;

export interface Frame {
  readonly flags: number;
  readonly payload: Buffer;
}

/** Adds the prefix to a message. */
export function encodeFrame(flags: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + payload.length);
  frame[0] = flags;
  frame.writeUInt32BE(payload.length, 1);
  frame.set(payload, PREFIX_BYTES);
  return frame;
}

/** Parses frames from a byte stream. */
export class FrameReader {
  readonly #limit: number;
  readonly #announced: (bytes: number) => void;
  #chunks: Buffer[] = [];
  #size = 0;
  #needed = PREFIX_BYTES;

  /** `announced` gets the length of each frame, before the frame has arrived. */
  constructor(limit: number, announced: (bytes: number) => void = () => {}) {
    this.#limit = limit;
    this.#announced = announced;
  }

  /** Bytes of the frame that is not complete yet. */
  get size(): number {
    return this.#size;
  }

  /** Returns the frames that these bytes complete, or the first of them. Throws if a frame exceeds the limit. */
  push(chunk: Buffer, maxFrames = Number.POSITIVE_INFINITY): Frame[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const frames: Frame[] = [];
    while (this.#size >= this.#needed && frames.length < maxFrames) {
      const bytes = this.#joined();
      const length = bytes.readUInt32BE(1);
      if (length > this.#limit) {
        const text = `the message is larger than ${this.#limit} bytes`;
        throw new WharfError("RESOURCE_EXHAUSTED", text);
      }
      const end = PREFIX_BYTES + length;
      if (bytes.length < end) {
        this.#announced(end);
        this.#needed = end;
        break;
      }
      frames.push({ flags: bytes[0] as number, payload: bytes.subarray(PREFIX_BYTES, end) });
      this.#chunks = bytes.length > end ? [bytes.subarray(end)] : [];
      this.#size = bytes.length - end;
      this.#needed = PREFIX_BYTES;
    }
    return frames;
  }

  /** Throws if the stream ended within a frame. */
  end(): void {
    if (this.#size > 0) {
      throw invalidArgument({ field: "", description: "the last message is truncated" });
    }
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#size)];
    return this.#chunks[0] as Buffer;
  }
}
