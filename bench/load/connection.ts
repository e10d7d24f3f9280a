import { connect, type Socket } from "node:net";

const RECEIVE_BYTES = 64 * 1024;
const HEAD = Buffer.from("HEAD ");
const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked\r\n/i;

/** The end of a response in chunks. Bodies are JSON, which does not contain it. */
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** Events of a connection. */
export interface Listener {
  /** The whole response has arrived. */
  answered(connection: Connection, bodyBytes: number): void;
  failed(error: Error): void;
}

/** OK, or Created. */
const SUCCESS = /^HTTP\/1\.1 20[01] /;

/**
 * A bare keep-alive socket with one request at a time. Of responses it reads only the status and the length, to
 * use little CPU.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #listener: Listener;
  /** Remaining bytes of the current response; -1 before its head. */
  #missing = -1;
  #length = 0;
  /** The last bytes of a response in chunks; undefined in others. */
  #tail: Buffer | undefined;
  #head: Buffer | undefined;
  #isBusy = false;
  /** Whether the response has no body, whatever its length says. */
  #isHead = false;

  constructor(port: number, listener: Listener) {
    this.#listener = listener;
    const buffer = Buffer.allocUnsafe(RECEIVE_BYTES);
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer,
        callback: (size: number) => {
          this.#read(buffer.subarray(0, size));
          return true;
        },
      },
    });
    this.#socket.on("error", (error) => listener.failed(error));
    // Servers close connections that have been idle for some seconds.
    this.#socket.on("close", () => {
      if (this.#isBusy) listener.failed(new Error("the server closed the connection"));
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  opened(): Promise<void> {
    return new Promise((resolve) => this.#socket.once("connect", () => resolve()));
  }

  send(request: Buffer): void {
    this.#isBusy = true;
    this.#isHead = request.subarray(0, HEAD.length).equals(HEAD);
    this.#socket.write(request);
  }

  close(): void {
    this.#isBusy = false;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    if (this.#missing < 0) {
      if (this.#head !== undefined) rest = Buffer.concat([this.#head, chunk]);
      const end = rest.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = Buffer.from(rest);
        return;
      }
      this.#head = undefined;
      const head = rest.toString("latin1", 0, end + 2);
      const isChunked = CHUNKED.test(head);
      const length = isChunked ? "0" : LENGTH.exec(head)?.[1];
      this.#tail = isChunked ? Buffer.alloc(0) : undefined;
      if (!SUCCESS.test(head) || length === undefined) {
        const response = rest.toString().slice(0, 1000);
        this.#listener.failed(new Error(`unexpected response: ${response}`));
        return;
      }
      this.#length = this.#isHead ? 0 : Number(length);
      this.#missing = this.#length;
      rest = rest.subarray(end + HEAD_END.length);
    }
    if (this.#tail !== undefined) {
      this.#length += rest.length;
      this.#tail = Buffer.concat([this.#tail, rest]).subarray(-LAST_CHUNK.length);
      if (!this.#tail.equals(LAST_CHUNK)) return;
    } else {
      this.#missing -= rest.length;
      if (this.#missing > 0) return;
    }
    this.#missing = -1;
    this.#isBusy = false;
    this.#listener.answered(this, this.#length);
  }
}

/** Opens connections, runs a load on them, and closes them; rejects as soon as one of them fails. */
export async function withConnections<Result>(
  ports: readonly number[],
  answered: Listener["answered"],
  run: (connections: readonly Connection[]) => Promise<Result>,
): Promise<Result> {
  const failure = Promise.withResolvers<never>();
  const connections = ports.map(
    (port) => new Connection(port, { answered, failed: failure.reject }),
  );
  try {
    await Promise.race([Promise.all(connections.map((one) => one.opened())), failure.promise]);
    return await Promise.race([run(connections), failure.promise]);
  } finally {
    for (const connection of connections) connection.close();
  }
}
