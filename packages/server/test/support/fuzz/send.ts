/** Sends fuzzed requests, right and wrong bytes of protobuf and gRPC among them; one form of answer for all protocols. */

import { constants, type OutgoingHttpHeaders } from "node:http2";
import { gunzipSync, gzipSync } from "node:zlib";
import { frame, RawHttp2, webTrailers } from "../client/raw.ts";
import { HttpConnection } from "./http1.ts";
import {
  type Framing,
  type FuzzRequest,
  fill,
  type Marks,
  type Phase,
  type WireField,
} from "./request.ts";
import type { FuzzWorld } from "./world.ts";

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Small as sent, more than any message may be when unpacked. */
const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024));

/** The bytes of numbers that fit into one: most lengths and numbers of fields do. */
const SHORT_VARINTS = Array.from({ length: 0x80 }, (_, value) => Buffer.from([value]));

function varint(value: bigint | number): Buffer {
  const short = SHORT_VARINTS[Number(value)];
  if (short !== undefined) return short;
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Buffer.from(bytes);
}

/**
 * The bytes of a message.
 *
 * @example encodeFields([[1, "text", "<own.group>"]], marks)
 */
function encodeFields(fields: readonly WireField[], marks: Marks): Buffer {
  return Buffer.concat(partsOf(fields, marks));
}

/** The bytes in parts, so that those of nested messages are copied once. */
function partsOf(fields: readonly WireField[], marks: Marks): Buffer[] {
  const parts: Buffer[] = [];
  for (const field of fields) for (const part of partsOfField(field, marks)) parts.push(part);
  return parts;
}

function partsOfField([no, kind, value]: WireField, marks: Marks): Buffer[] {
  const head = (type: number) => varint(no * 8 + type);
  switch (kind) {
    case "varint":
      return [head(0), varint(BigInt(value))];
    case "fixed64":
      return [head(1), Buffer.from(value, "hex").reverse()];
    case "fixed32":
      return [head(5), Buffer.from(value, "hex").reverse()];
    case "raw":
      return [Buffer.from(value, "hex")];
    case "message": {
      const inner = partsOf(value, marks);
      const length = inner.reduce((sum, part) => sum + part.length, 0);
      return [head(2), varint(length), ...inner];
    }
    default: {
      const bytes = kind === "hex" ? Buffer.from(value, "hex") : Buffer.from(fill(value, marks));
      return [head(2), varint(bytes.length), bytes];
    }
  }
}

/**
 * Puts a message into a frame of a form.
 *
 * @example framed("plain", Buffer.from("0a00", "hex"))
 */
function framed(framing: Framing, bytes: Buffer): Buffer {
  return FORMS[framing](bytes);
}

const FORMS: Readonly<Record<Framing, (bytes: Buffer) => Buffer>> = {
  plain: (bytes) => frame(bytes),
  longer: (bytes) => frame(bytes, 0, bytes.length + 1),
  shorter: (bytes) => frame(bytes, 0, Math.max(0, bytes.length - 1)),
  endless: (bytes) => frame(bytes, 0, 0xffff_ffff),
  oversized: (bytes) => frame(bytes, 0, MAX_MESSAGE_BYTES + 1),
  "flag only": (bytes) => frame(bytes, 1),
  gzip: (bytes) => frame(gzipSync(bytes), 1),
  "torn gzip": (bytes) => frame(gzipSync(bytes).subarray(0, 12), 1),
  bomb: () => frame(BOMB, 1),
  "reserved flag": (bytes) => frame(bytes, 2),
  "trailer flag": (bytes) => frame(bytes, 0x80),
  twice: (bytes) => Buffer.concat([frame(bytes), frame(bytes)]),
  tail: (bytes) => Buffer.concat([frame(bytes), Buffer.alloc(3)]),
  nothing: () => Buffer.alloc(0),
  "half a prefix": () => Buffer.alloc(4),
  "no prefix": (bytes) => bytes,
};

export interface FuzzAnswer {
  /** The HTTP status; 0 for a gRPC stream that was cut off without one. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Of gRPC calls. */
  readonly trailers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The sent bytes, to distinguish echoes from leaks: hardly any answer needs it. */
  readonly sent: () => string;
}

/** One sender: a connection of each kind. */
export class Sender {
  readonly #world: FuzzWorld;
  readonly #url: string;
  readonly #http: HttpConnection;
  #grpc: RawHttp2 | undefined;

  constructor(world: FuzzWorld) {
    this.#world = world;
    this.#url = world.world.server.url;
    this.#http = new HttpConnection(this.#url);
  }

  close(): void {
    this.#http.close();
    this.#grpc?.close();
  }

  send(request: FuzzRequest, phase: Phase): Promise<FuzzAnswer> {
    const marks = this.#world.marks(phase);
    return request.via === "grpc" ? this.#sendGrpc(request, marks) : this.#sendHttp(request, marks);
  }

  #headers(request: FuzzRequest, marks: Marks): Map<string, string> {
    const headers = new Map<string, string>();
    const token = this.#world.tokenOf(request.caller);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    for (const [name, value] of request.headers) headers.set(name, fill(value, marks));
    return headers;
  }

  async #sendHttp(request: FuzzRequest, marks: Marks): Promise<FuzzAnswer> {
    const isWeb = request.via === "grpc-web";
    const headers = this.#headers(request, marks);
    const body = isWeb ? webBody(request, marks) : bodyBytes(request, marks);
    if (isWeb)
      headers.set("content-type", `application/grpc-web${request.text ? "-text" : ""}+proto`);
    const path = fill(request.path, marks);
    const lines = [
      `${request.method} ${path} HTTP/1.1`,
      `Host: ${new URL(this.#url).host}`,
      ...[...headers].map(([name, value]) => `${name}: ${value}`),
      ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    ];
    const head = `${lines.join("\r\n")}\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)]);
    const answer = await this.#http.send(bytes, request.method === "HEAD");
    const sent = () => `${head}${body?.toString() ?? ""}`;
    const plain = unpacked(answer.body, answer.headers.get("content-encoding"));
    if (!isWeb || answer.status !== 200) {
      return { ...answer, body: plain, trailers: new Map(), sent };
    }
    const whole = request.text ? Buffer.from(plain.toString("latin1"), "base64") : plain;
    const trailers = new Map(Object.entries(webTrailers(whole)) as [string, string][]);
    return { ...answer, body: whole, trailers, sent };
  }

  async #sendGrpc(request: FuzzRequest, marks: Marks): Promise<FuzzAnswer> {
    if (this.#grpc === undefined || this.#grpc.closed) this.#grpc = new RawHttp2(this.#url);
    const headers: OutgoingHttpHeaders = {
      ":method": request.method,
      ":path": fill(request.path, marks),
      "content-type": "application/grpc",
      te: "trailers",
      ...Object.fromEntries(this.#headers(request, marks)),
    };
    const message = encodeFields(request.message ?? [], marks);
    const ending = await this.#grpc.send(headers, framed(request.framing ?? "plain", message));
    const plain = (given: object) =>
      Object.entries(given).map(([name, value]) => [name, String(value)] as const);
    const cut = ending.reset !== constants.NGHTTP2_NO_ERROR;
    return {
      status: cut ? 0 : Number(ending.headers[":status"] ?? 0),
      headers: new Map(plain(ending.headers)),
      trailers: new Map([...plain(ending.headers), ...plain(ending.trailers)]),
      body: ending.body,
      sent: () => `${JSON.stringify(headers)}${message.toString()}`,
    };
  }
}

function bodyBytes({ body, bodyEncoding }: FuzzRequest, marks: Marks): Buffer | undefined {
  if (body === undefined) return undefined;
  return bodyEncoding === "base64" ? Buffer.from(body, "base64") : Buffer.from(fill(body, marks));
}

function webBody({ message = [], framing = "plain", text }: FuzzRequest, marks: Marks): Buffer {
  const bytes = framed(framing, encodeFields(message, marks));
  if (text === undefined) return bytes;
  const base64 = bytes.toString("base64");
  return Buffer.from(text === "broken" ? `${base64.slice(0, -1)}*` : base64);
}

function unpacked(body: Buffer, encoding: string | undefined): Buffer {
  return encoding === "gzip" && body.length > 0 ? gunzipSync(body) : body;
}
