import { LayerFailure } from "../failure.ts";
import { BLOCK_BYTES, parseHeader, type TarHeader } from "./header.ts";
import { type PaxRecords, parsePax } from "./pax.ts";

export type TarEntry = Pick<TarHeader, "type" | "path" | "link" | "size" | "mode">;

/** Receives the content of an entry: parts of the chunks that were pushed. */
export interface Body {
  write(part: Buffer): void;
  end(): void;
}

/** A longer path, or a longer list of attributes, is no file of a package. */
const MAX_METADATA_BYTES = 1024 * 1024;

/**
 * Reads a tar from chunks as they come. tar-stream has a stream for each entry, which takes as long as to decompress
 * it when files are small; this one skips what nobody reads without copying it, and bounds what it keeps.
 */
export class TarReader {
  readonly #onEntry: (entry: TarEntry) => Body | undefined;
  /** The incomplete header block. */
  readonly #block = Buffer.alloc(BLOCK_BYTES);
  #blockBytes = 0;
  #body: Body | undefined;
  /** Bytes of the content, and of its padding. */
  #left = 0;
  #padding = 0;
  #isMap = false;
  #metadata: Buffer[] | undefined;
  #header: TarHeader | undefined;
  #global: PaxRecords = {};
  #records: PaxRecords = {};
  #zeroBlocks = 0;

  constructor(onEntry: (entry: TarEntry) => Body | undefined) {
    this.#onEntry = onEntry;
  }

  /** Whether the two blocks at the end were read: what follows is ignored. */
  get isEnded(): boolean {
    return this.#zeroBlocks === 2;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.isEnded; ) {
      if (this.#left > 0) at += this.#readContent(chunk, at);
      else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, chunk.length - at);
        this.#padding -= skipped;
        at += skipped;
      } else at += this.#readBlock(chunk, at);
    }
  }

  /** Archives without blocks at their end exist: one may end after any entry. */
  finish(): void {
    if (this.isEnded) return;
    const isWithin =
      this.#left + this.#padding > 0 || this.#blockBytes > 0 || this.#metadata !== undefined;
    if (isWithin || this.#isMap) {
      throw new LayerFailure("truncated", "the archive ends within an entry");
    }
  }

  #readContent(chunk: Buffer, at: number): number {
    const length = Math.min(this.#left, chunk.length - at);
    if (this.#body !== undefined) this.#body.write(chunk.subarray(at, at + length));
    else if (this.#metadata !== undefined) {
      this.#metadata.push(Buffer.from(chunk.subarray(at, at + length)));
    }
    this.#left -= length;
    if (this.#left === 0) this.#endContent();
    return length;
  }

  #endContent(): void {
    const [body, metadata] = [this.#body, this.#metadata];
    this.#body = undefined;
    this.#metadata = undefined;
    if (metadata !== undefined) this.#apply(Buffer.concat(metadata));
    body?.end();
  }

  #readBlock(chunk: Buffer, at: number): number {
    if (this.#blockBytes === 0 && chunk.length - at >= BLOCK_BYTES) {
      this.#readHeader(chunk.subarray(at, at + BLOCK_BYTES));
      return BLOCK_BYTES;
    }
    const length = Math.min(BLOCK_BYTES - this.#blockBytes, chunk.length - at);
    chunk.copy(this.#block, this.#blockBytes, at, at + length);
    this.#blockBytes += length;
    if (this.#blockBytes === BLOCK_BYTES) {
      this.#blockBytes = 0;
      this.#readHeader(this.#block);
    }
    return length;
  }

  #readHeader(block: Buffer): void {
    if (this.#isMap) {
      // Each block of the map says whether another one follows; the content comes after the last.
      this.#isMap = block[504] !== 0;
      if (!this.#isMap) this.#startContent(this.#header?.size ?? 0);
      return;
    }
    const header = parseHeader(block);
    this.#header = header;
    if (header === undefined) {
      this.#zeroBlocks++;
      return;
    }
    this.#zeroBlocks = 0;
    if (METADATA.has(header.type)) this.#startMetadata(header);
    else this.#startEntry(header);
  }

  #startMetadata({ size }: TarHeader): void {
    if (size > MAX_METADATA_BYTES) {
      throw new LayerFailure("header_too_large", `a header has ${size} bytes`);
    }
    this.#metadata = [];
    this.#startContent(size);
  }

  #apply(bytes: Buffer): void {
    const type = this.#header?.type;
    if (type === "global-pax") this.#global = { ...this.#global, ...parsePax(bytes) };
    else if (type === "pax") this.#records = { ...this.#records, ...parsePax(bytes) };
    else {
      const zero = bytes.indexOf(0);
      const text = bytes.toString("utf8", 0, zero < 0 ? bytes.length : zero);
      const name = type === "long-path" ? "path" : "link";
      this.#records = { ...this.#records, [name]: text };
    }
  }

  #startEntry(header: TarHeader): void {
    const records = { ...this.#global, ...this.#records };
    this.#records = {};
    const { link } = header;
    const size = HAS_CONTENT.has(header.type) ? (records.size ?? header.size) : 0;
    const type = records.isSparse && header.type === "file" ? "sparse" : header.type;
    const { mode } = header;
    const path = records.path ?? header.path;
    const isLink = type === "link" || type === "symlink";
    const entry = { type, path, link: isLink ? (records.link ?? link) : "", size, mode };
    this.#body = this.#onEntry(entry);
    this.#header = { ...header, size };
    if (header.isExtended) this.#isMap = true;
    else this.#startContent(size);
  }

  #startContent(size: number): void {
    this.#left = size;
    this.#padding = (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
    if (size === 0) this.#endContent();
  }
}

const METADATA: ReadonlySet<string> = new Set(["pax", "global-pax", "long-path", "long-link"]);

const HAS_CONTENT: ReadonlySet<string> = new Set(["file", "sparse", "other"]);
