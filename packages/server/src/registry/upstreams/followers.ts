/** Bytes that a client may be behind a download before it is served from the storage instead. */
const MAX_BEHIND_BYTES = 8 * 1024 * 1024;

/** One client of a blob that arrives: gets its chunks as long as it keeps up. */
class Follower {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #wake: (() => void) | undefined;
  isBehind = false;

  push(chunk: Uint8Array): void {
    if (this.isBehind) return;
    if (this.#bytes + chunk.length > MAX_BEHIND_BYTES) this.isBehind = true;
    else {
      this.#bytes += chunk.length;
      this.#chunks.push(chunk);
    }
    this.wake();
  }

  shift(): Uint8Array | undefined {
    const chunk = this.#chunks.shift();
    this.#bytes -= chunk?.length ?? 0;
    return chunk;
  }

  wake(): void {
    this.#wake?.();
  }

  async wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Reads the stored blob from an offset. */
export type RestOfBlob = (offset: number) => Promise<AsyncIterable<Uint8Array>>;

/**
 * The clients of one blob that arrives. The download goes as fast as the storage takes it, and ends whether its clients stay
 * or not; a client that comes late or is slow is served from the storage when it has ended.
 */
export class Followers {
  readonly #followers = new Set<Follower>();
  readonly #ended: Promise<unknown>;
  #hasBegun = false;
  #isEnded = false;

  /** @param ended Resolves when the blob is stored, and rejects if it is not what its digest says. */
  constructor(ended: Promise<unknown>) {
    const end = () => {
      this.#isEnded = true;
      for (const follower of this.#followers) follower.wake();
    };
    this.#ended = ended;
    ended.then(end, end);
  }

  /** The chunks of a download, which followers get as well. */
  async *passing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    this.#hasBegun = true;
    for await (const chunk of chunks) {
      for (const follower of this.#followers) follower.push(chunk);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
  }

  /** The whole blob. Its last chunk is sent once the blob is verified and stored: no client takes for complete what is not. */
  follow(rest: RestOfBlob): AsyncGenerator<Uint8Array> {
    const follower = new Follower();
    follower.isBehind = this.#hasBegun;
    this.#followers.add(follower);
    return this.#chunksOf(follower, rest);
  }

  async *#chunksOf(follower: Follower, rest: RestOfBlob): AsyncGenerator<Uint8Array> {
    try {
      let sent = 0;
      let last: Uint8Array | undefined;
      for (;;) {
        const chunk = follower.shift();
        if (chunk === undefined) {
          if (this.#isEnded || follower.isBehind) break;
          await follower.wait();
          continue;
        }
        if (last !== undefined) {
          yield last;
          sent += last.length;
        }
        last = chunk;
      }
      await this.#ended;
      if (follower.isBehind || !this.#hasBegun) yield* await rest(sent);
      else if (last !== undefined) yield last;
    } finally {
      this.#followers.delete(follower);
    }
  }
}
