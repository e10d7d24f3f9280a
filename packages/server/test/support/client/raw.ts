/** Bytes that no client library would send, over HTTP/1.1 and HTTP/2, and checks of what comes back. */
import assert from "node:assert/strict";
import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect as connectTcp } from "node:net";
import { fromBinary } from "@bufbuild/protobuf";
import { StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";
import type { TestServer } from "../server/test-server.ts";

/** Long enough for the slowest machine. */
const DEADLINE_MS = 60_000;

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/**
 * Sends bytes over a connection of their own and returns all that came back until the other side
 * hung up. Rejects when it does not in time.
 *
 * @example const heard = await talk(server.url, "GET / HTTP/1.1\r\n\r\n");
 */
export function sendRaw(
  url: string,
  bytes: string | Uint8Array,
  halfClose = false,
): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const heard: Buffer[] = [];
    const socket = connectTcp({ host: hostname, port: Number(port), allowHalfOpen: true });
    const timer = setTimeout(() => {
      const shown = Buffer.from(bytes as Uint8Array)
        .subarray(0, 300)
        .toString("latin1");
      reject(new Error(`no end after ${DEADLINE_MS} ms: ${JSON.stringify(shown)}`));
      socket.destroy();
    }, DEADLINE_MS);
    socket.on("data", (chunk) => heard.push(chunk as Buffer));
    // A server that has heard enough may reset the connection: that is an end like any other.
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(heard));
    });
    socket.write(bytes);
    if (halfClose) socket.end();
  });
}

/**
 * The first final answer in what was heard; undefined when there is none.
 *
 * @example const answer = parseAnswer(await talk(server.url, request));
 */
export function parseAnswer(heard: Buffer): RawAnswer | undefined {
  let text = heard;
  while (text.subarray(0, 12).toString() === "HTTP/1.1 100")
    text = text.subarray(text.indexOf("\r\n\r\n") + 4);
  const end = text.indexOf("\r\n\r\n");
  const head = text.subarray(0, end).toString("latin1");
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  if (end < 0 || status === undefined) return undefined;
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  const body = text.subarray(end + 4);
  return { status: Number(status), head, body: length ? body.subarray(0, Number(length)) : body };
}

const WORDS: Readonly<Record<number, string>> = {
  3: "Invalid argument: ",
  5: "Not found: ",
  7: "Permission denied: ",
  8: "Resource exhausted: ",
  9: "Precondition failed: ",
  12: "Unimplemented: ",
  16: "Unauthenticated: ",
};

/**
 * Checks that an error has the one form that errors have, and is not a fault of the server's.
 *
 * @example checkError(answer.status, JSON.parse(answer.body.toString()), "GET /");
 */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what is checked.
export function checkError(status: number, error: any, about: string): void {
  const shown = `${about}: ${status} ${JSON.stringify(error)?.slice(0, 500)}`;
  assert.ok(status < 500 || (status === 501 && error.code === 12), shown);
  assert.ok(Object.hasOwn(WORDS, error.code), shown);
  assert.ok(error.message.startsWith(WORDS[error.code]), shown);
  const [info, ...others] = error.details;
  assert.equal(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo", shown);
  assert.ok(/^[A-Z_]+$/.test(info.reason) && info.domain !== "", shown);
  for (const detail of others)
    assert.match(detail["@type"], /^type\.googleapis\.com\/google\.rpc\./);
}

/** The number of lines of a log that were checked: a long one, again and again, would take most of a test's time. */
const checkedLines = new WeakMap<readonly string[], number>();

/**
 * Checks that the server still answers, and has not met anything since the last check that it calls a fault of its own.
 *
 * @example await checkHealthy(server);
 */
export async function checkHealthy(server: TestServer): Promise<void> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const answer = await fetch(`${server.url}/ping/v2beta1/ping`, { signal });
  assert.deepEqual(await answer.json(), { response: "pong" });
  const { logLines } = server;
  const lines = logLines.slice(checkedLines.get(logLines));
  checkedLines.set(logLines, logLines.length);
  const faults = lines.filter((line) => /"level":"(warn|error|fatal)"|failed/.test(line));
  assert.deepEqual(faults.slice(0, 3), []);
}

/** The end of a call: with a status, or with the stream cut off. */
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
