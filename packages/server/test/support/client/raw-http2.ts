import assert from "node:assert/strict";
import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import { fromBinary } from "@bufbuild/protobuf";
import { StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";

/** Long enough for the slowest machine. */
const DEADLINE_MS = 60_000;

/** How a call ended: with a status, or with the stream cut off. */
export interface Ending {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly reset: number;
}

/** One HTTP/2 connection for calls that no client library would make. */
export class RawHttp2 {
  readonly #session: ClientHttp2Session;

  constructor(url: string) {
    this.#session = connect(url);
    // Being sent away is one of the answers.
    this.#session.on("error", () => {});
  }

  get closed(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  close(): void {
    this.#session.destroy();
  }

  /** Begins a request and takes it back at once. */
  drop(headers: OutgoingHttpHeaders): void {
    const stream = this.#session.request(headers, { endStream: false });
    stream.on("error", () => {});
    stream.close(constants.NGHTTP2_CANCEL);
  }

  /**
   * Sends one request and waits for its end, whatever that is. Rejects when there is none in time.
   *
   * @example const ending = await raw.send({ ":path": path, ":method": "POST" }, bytes);
   */
  send(headers: OutgoingHttpHeaders, body: Uint8Array): Promise<Ending> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request(headers, { endStream: false });
      const about = `${headers[":path"]} ${Buffer.from(body.subarray(0, 40)).toString("hex")}`;
      const timer = setTimeout(() => {
        reject(new Error(`no end after ${DEADLINE_MS} ms: ${about}`));
        stream.close();
      }, DEADLINE_MS);
      let answered: IncomingHttpHeaders = {};
      let trailers: IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      stream.on("response", (given) => {
        answered = given;
      });
      stream.on("trailers", (given) => {
        trailers = given;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", () => {});
      stream.on("close", () => {
        clearTimeout(timer);
        const reset = stream.rstCode ?? constants.NGHTTP2_NO_ERROR;
        resolve({ headers: answered, trailers, body: Buffer.concat(chunks), reset });
      });
      stream.end(body);
    });
  }
}

/** A message as gRPC sends it, or nearly: flags and length can be anything. */
export function frame(payload: Uint8Array, flags = 0, length = payload.length): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags, 0);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, payload]);
}

/** The codes that tell a caller what it did; the others would be faults of the server. */
const FAULTLESS = new Set([0, 1, 3, 4, 5, 7, 8, 9, 12, 16]);

/**
 * Checks that a status is not a fault of the server's and that its details repeat it.
 *
 * @example checkStatus({ ...ending.headers, ...ending.trailers }, "GetGroup");
 */
export function checkStatus(found: IncomingHttpHeaders, about: string): number {
  const code = Number(found["grpc-status"]);
  const shown = `${about}: ${code} ${found["grpc-message"]}`;
  assert.ok(FAULTLESS.has(code), shown);
  const packed = found["grpc-status-details-bin"];
  if (code === 0 || packed === undefined) return code;
  const status = fromBinary(StatusSchema, Buffer.from(String(packed), "base64"));
  assert.equal(status.code, code, shown);
  assert.equal(status.details[0]?.typeUrl, "type.googleapis.com/google.rpc.ErrorInfo", shown);
  return code;
}

/**
 * The trailers at the end of a gRPC-Web answer.
 *
 * @example const trailers = webTrailers(body);
 */
export function webTrailers(body: Buffer): IncomingHttpHeaders {
  let at = 0;
  while (at + 5 <= body.length) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    if (((body[at] as number) & 0x80) !== 0) {
      const lines = body
        .subarray(at + 5, end)
        .toString("latin1")
        .split("\r\n")
        .filter(Boolean);
      return Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(":")),
          line.slice(line.indexOf(":") + 1).trim(),
        ]),
      );
    }
    at = end;
  }
  return {};
}
