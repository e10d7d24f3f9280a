import { Tokenizer } from "@streamparser/json";
import type { SbomLimits } from "../limits.ts";
import { SbomRefused } from "../refusal.ts";
import { outline } from "./outline.ts";
import { type Shape, walkValue } from "./shape.ts";
import { TokenWalker } from "./token-walker.ts";

/** Strings and numbers are collected in a buffer: piece by piece, a long one takes a hundred times its size. */
const TOKEN_BUFFER_BYTES = 64 * 1024;

/** The beginning of a document that is kept to recognize other formats. */
const HEAD_BYTES = 1_024;

/**
 * Reads JSON values by a shape. Small documents are kept and parsed at once; beyond that size the document is read
 * token by token. Both hand over the same values, in the same order.
 */
export class JsonReader {
  readonly #shape: Shape;
  readonly #limits: SbomLimits;
  readonly #finished: () => void;
  #hasValue = false;
  #kept: Uint8Array[] | undefined = [];
  #bytes = 0;
  #head: Uint8Array = new Uint8Array();
  #stream: { readonly tokenizer: Tokenizer; readonly walker: TokenWalker } | undefined;

  /** `finished` is called after each value: a document may have several, one on each line. */
  constructor(shape: Shape, limits: SbomLimits, finished: () => void) {
    this.#shape = shape;
    this.#limits = limits;
    this.#finished = () => {
      this.#hasValue = true;
      finished();
    };
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#limits.bytes) {
      throw new SbomRefused("too_large", `has more than ${this.#limits.bytes} bytes`);
    }
    if (this.#head.byteLength < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES)]);
    }
    if (this.#kept !== undefined && this.#bytes <= this.#limits.wholeBytes) {
      this.#kept.push(chunk);
      return;
    }
    this.#namingFormats(() => {
      for (const earlier of this.#kept ?? []) this.#writeTokens(earlier);
      this.#kept = undefined;
      this.#writeTokens(chunk);
    });
  }

  end(): void {
    this.#namingFormats(() => {
      if (this.#kept !== undefined) this.#readWhole(Buffer.concat(this.#kept));
      else this.#endTokens();
      if (!this.#hasValue) throw notJson("it is empty");
    });
  }

  /** Names the format of what is not JSON, if its beginning shows one. */
  #namingFormats(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (error instanceof SbomRefused && error.code === "not_json") requireNoOther(this.#head);
      throw error;
    }
  }

  #readWhole(bytes: Uint8Array): void {
    const values = outline(bytes, this.#limits.depth);
    for (const value of values) {
      walkValue(parse(decode(value)), this.#shape);
      this.#finished();
    }
  }

  #writeTokens(chunk: Uint8Array): void {
    this.#stream ??= this.#startStream();
    this.#stream.tokenizer.write(chunk);
  }

  #endTokens(): void {
    this.#stream?.tokenizer.end();
    if (this.#stream?.walker.isBetweenValues === false) throw notJson("it is incomplete");
  }

  #startStream() {
    const walker = new TokenWalker(this.#shape, this.#limits, this.#finished);
    const size = TOKEN_BUFFER_BYTES;
    const tokenizer = new Tokenizer({ stringBufferSize: size, numberBufferSize: size });
    tokenizer.onToken = ({ token, value }) => walker.write(token, value);
    tokenizer.onError = (error) => {
      throw refusalOf(error);
    };
    return { tokenizer, walker };
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw refusalOf(error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** Of an error of the tokenizer, of the decoder, or of what receives values. */
function refusalOf(error: unknown): unknown {
  if (error instanceof SbomRefused) return error;
  if (
    error instanceof TypeError &&
    "code" in error &&
    error.code === "ERR_ENCODING_INVALID_ENCODED_DATA"
  ) {
    return new SbomRefused("not_utf8", "is not UTF-8");
  }
  return error instanceof Error && error.name !== "Error" ? error : notJson();
}

/** Recognizes other formats by their first character, for an error that names them. */
function requireNoOther(head: Uint8Array): void {
  const text = Buffer.from(head)
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .trimStart();
  if (text.startsWith("<")) throw new SbomRefused("xml", "is XML; only JSON is supported");
  if (/^(?:SPDX|#)/.test(text)) {
    throw new SbomRefused("tag_value", "is SPDX tag-value; only JSON is supported");
  }
}

function notJson(reason?: string): SbomRefused {
  return new SbomRefused(
    "not_json",
    reason === undefined ? "is not JSON" : `is not JSON: ${reason}`,
  );
}
