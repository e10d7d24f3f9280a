/** Connections that send HTTP/1.1 requests as bytes, one after the other, and read their answers. */
import { connect, type Socket } from "node:net";

/** A server that has not answered by then is not going to, on the slowest machine. */
const DEADLINE_MS = 60_000;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The connection ended before there was an answer to a request of so many bytes. */
export class ConnectionLost extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super("the connection ended without an answer");
    this.bytes = bytes;
  }
}

/** One connection; opened again whenever the server has closed it. */
export class HttpConnection {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  close(): void {
    this.#socket?.destroy();
  }

  /**
   * Sends a request and waits for its answer. Rejects with ConnectionLost where none comes.
   *
   * @example const { status } = await connection.send(Buffer.from("GET / HTTP/1.1\r\n…"), false);
   */
  send(request: Buffer, headOnly: boolean): Promise<HttpAnswer> {
    if (this.#socket === undefined || this.#socket.destroyed) {
      this.#socket = connect({ host: "127.0.0.1", port: this.#port });
      this.#socket.setNoDelay(true);
    }
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      let heard: Buffer = Buffer.alloc(0);
      const settle = (act: () => void) => {
        clearTimeout(timer);
        socket.removeAllListeners();
        socket.on("error", () => {});
        act();
      };
      const ended = () => {
        socket.destroy();
        const answer = readAnswer(heard, headOnly, true);
        settle(() =>
          answer ? resolve(answer.answer) : reject(new ConnectionLost(request.length)),
        );
      };
      const timer = setTimeout(() => {
        socket.destroy();
        settle(() => reject(new Error(`no answer after ${DEADLINE_MS} ms`)));
      }, DEADLINE_MS);
      socket.on("error", () => {});
      socket.on("close", ended);
      socket.on("end", ended);
      socket.on("data", (chunk: Buffer) => {
        heard = heard.length === 0 ? chunk : Buffer.concat([heard, chunk]);
        const found = readAnswer(heard, headOnly, false);
        if (found === undefined) return;
        if (found.answer.headers.get("connection") === "close") socket.destroy();
        settle(() => resolve(found.answer));
      });
      socket.write(request);
    });
  }
}

function readAnswer(
  heard: Buffer,
  headOnly: boolean,
  isWhole: boolean,
): { answer: HttpAnswer } | undefined {
  const end = heard.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = heard.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(first.split(" ")[1]);
  if (status < 200) return readAnswer(heard.subarray(end + 4), headOnly, isWhole);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const rest = heard.subarray(end + 4);
  const body =
    headOnly || status === 204 || status === 304 ? Buffer.alloc(0) : bodyOf(rest, headers, isWhole);
  return body && { answer: { status, headers, body } };
}

function bodyOf(
  rest: Buffer,
  headers: ReadonlyMap<string, string>,
  isWhole: boolean,
): Buffer | undefined {
  const length = headers.get("content-length");
  if (length !== undefined) {
    return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
  }
  if (headers.get("transfer-encoding") !== "chunked") return isWhole ? rest : undefined;
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = rest.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.subarray(at, line).toString("latin1"), 16);
    if (rest.length < line + 2 + size + 2) return undefined;
    if (size === 0) return Buffer.concat(pieces);
    pieces.push(rest.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
