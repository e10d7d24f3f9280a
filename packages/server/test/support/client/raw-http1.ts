import assert from "node:assert/strict";
import { connect } from "node:net";
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
export function talk(url: string, bytes: string | Uint8Array, halfClose = false): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const heard: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
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

/**
 * Checks that the server still answers, and has not met anything that it calls a fault of its own.
 *
 * @example await checkUnharmed(server);
 */
export async function checkUnharmed(server: TestServer): Promise<void> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const answer = await fetch(`${server.url}/ping/v2beta1/ping`, { signal });
  assert.deepEqual(await answer.json(), { response: "pong" });
  const faults = server.log
    .split("\n")
    .filter((line) => /"level":"(warn|error|fatal)"|failed/.test(line));
  assert.deepEqual(faults.slice(0, 3), []);
}
