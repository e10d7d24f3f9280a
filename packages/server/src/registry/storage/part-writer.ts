import { CHUNK_BYTES, type DiskThread } from "./disk-threads.ts";

/** Buffers of one upload: one is filled while another is written. */
const BUFFERS = 2;

/** Gathers the chunks of a part and sends them to a thread, which hashes and writes them. */
export class PartWriter {
  readonly #thread: DiskThread;
  readonly #id: number;
  readonly #opened: Promise<unknown>;
  readonly #free: ArrayBuffer[] = [];
  #buffers = 0;
  /** Writes that are not answered, oldest first. */
  readonly #writing: Promise<void>[] = [];
  #current: ArrayBuffer | undefined;
  #used = 0;
  #size = 0;

  constructor(thread: DiskThread, path: string) {
    this.#thread = thread;
    this.#id = thread.newId();
    this.#opened = thread.ask(this.#id, { kind: "open", path });
    // Reported by what is awaited first.
    this.#opened.catch(() => {});
  }

  async write(chunk: Buffer): Promise<void> {
    this.#size += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      this.#current ??= await this.#buffer();
      const target = new Uint8Array(this.#current, this.#used);
      const piece = chunk.subarray(at, at + target.length);
      target.set(piece);
      at += piece.length;
      this.#used += piece.length;
      if (this.#used === CHUNK_BYTES) this.#send();
    }
  }

  async finish(): Promise<{ readonly size: number; readonly sha256: string }> {
    if (this.#used > 0) this.#send();
    await this.#opened;
    await Promise.all(this.#writing);
    const { hex = "" } = await this.#thread.ask(this.#id, { kind: "finish" });
    return { size: this.#size, sha256: hex };
  }

  async abort(): Promise<void> {
    await this.#thread.ask(this.#id, { kind: "abort" }).catch(() => {});
  }

  async #buffer(): Promise<ArrayBuffer> {
    await this.#opened;
    if (this.#free.length === 0 && this.#buffers < BUFFERS) {
      this.#buffers++;
      return new ArrayBuffer(CHUNK_BYTES);
    }
    if (this.#free.length === 0) await this.#writing[0];
    return this.#free.pop() as ArrayBuffer;
  }

  #send(): void {
    const buffer = this.#current as ArrayBuffer;
    const length = this.#used;
    this.#current = undefined;
    this.#used = 0;
    const written = this.#thread.ask(this.#id, { kind: "write", buffer, length }).then((answer) => {
      this.#writing.shift();
      this.#free.push(answer.buffer as ArrayBuffer);
    });
    written.catch(() => {});
    this.#writing.push(written);
  }
}
