/** A name server on a port of its own: knows some names, denies some, and never answers for others. */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";

const A = 1;
const NO_SUCH_NAME = 3;

/**
 * The answer of a name server: IPv4 addresses, separated by commas, or a denial, or none until it is asked to deny what
 * it has not answered.
 */
export type NameAnswer = string | "denied" | "silent";

export class NameServer {
  /** The requested names, lower case. */
  readonly asked: string[] = [];
  readonly #socket: Socket;
  readonly #answer: (name: string) => NameAnswer;
  readonly #unanswered: (() => void)[] = [];

  private constructor(answer: (name: string) => NameAnswer) {
    this.#answer = answer;
    this.#socket = createSocket("udp4");
    this.#socket.on("message", (query, from) => this.#receive(query, from));
  }

  static async start(answer: (name: string) => NameAnswer): Promise<NameServer> {
    const server = new NameServer(answer);
    server.#socket.bind(0, "127.0.0.1");
    await once(server.#socket, "listening");
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Ends the lookups that wait for it. */
  denyUnanswered(): void {
    for (const deny of this.#unanswered.splice(0)) deny();
  }

  stop(): void {
    this.#socket.close();
  }

  #receive(query: Buffer, from: RemoteInfo): void {
    const labels: string[] = [];
    let at = 12;
    for (let size = query.readUInt8(at); size > 0; size = query.readUInt8(at)) {
      labels.push(query.toString("latin1", at + 1, at + 1 + size));
      at += 1 + size;
    }
    const name = labels.join(".").toLowerCase();
    this.asked.push(name);
    const reply = (answer: string) => this.#reply(answer, query, at, from);
    const answer = this.#answer(name);
    if (answer === "silent") this.#unanswered.push(() => reply("denied"));
    else reply(answer);
  }

  /** The question ends at a position with its type and class. */
  #reply(answer: string, query: Buffer, at: number, from: RemoteInfo): void {
    const isDenied = answer === "denied";
    const addresses = !isDenied && query.readUInt16BE(at + 1) === A ? answer.split(",") : [];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // A response of a recursive server, with one question.
    head.writeUInt16BE(0x8180 | (isDenied ? NO_SUCH_NAME : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    const question = query.subarray(12, at + 5);
    const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 0, 0, 4]);
    const records = addresses.flatMap((one) => [record, Buffer.from(one.split(".").map(Number))]);
    this.#socket.send(Buffer.concat([head, question, ...records]), from.port, from.address);
  }
}
