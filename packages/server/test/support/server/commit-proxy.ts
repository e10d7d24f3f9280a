/** A TCP proxy in front of PostgreSQL that breaks connections at a COMMIT. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The fate of a COMMIT whose connection breaks before the answer. */
export const COMMIT_FAULTS = [
  /** It is executed. */
  "unanswered",
  /** It never arrives, and PostgreSQL sees a broken connection. */
  "lost",
  /** It arrives when the server already asks for its outcome. */
  "late",
  /** It never arrives, and PostgreSQL does not see that the connection is broken. */
  "stuck",
] as const;

export type CommitFault = (typeof COMMIT_FAULTS)[number];

interface Pair {
  readonly client: Socket;
  readonly database: Socket;
}

export class CommitProxy {
  /** The database, through the proxy. */
  readonly url: string;
  /** The number of faults that have happened. */
  faults = 0;
  #next: CommitFault | undefined;
  /** Whether new connections are rejected. */
  isClosed = false;
  #closesWithFault = false;
  readonly #server: Server;
  readonly #target: URL;
  readonly #pairs = new Set<Pair>();
  /** COMMITs on their way. */
  readonly #late: { readonly pair: Pair; readonly commit: Buffer }[] = [];
  readonly #stuck: Pair[] = [];

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    const url = new URL(target);
    url.port = String((server.address() as AddressInfo).port);
    this.url = url.href;
    server.on("connection", (client) => this.#accept(client));
  }

  static async start(databaseUrl: string): Promise<CommitProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new CommitProxy(server, new URL(databaseUrl));
  }

  /** Chooses what happens to the next COMMIT, and whether later connections are rejected. */
  breakNext(fault: CommitFault, { closes = false } = {}): void {
    this.#next = fault;
    this.#closesWithFault = closes;
  }

  /** Lets PostgreSQL see that connections are broken whose COMMIT has not arrived. */
  release(): void {
    for (const { database } of this.#stuck.splice(0)) database.destroy();
    for (const { pair } of this.#late.splice(0)) pair.database.destroy();
  }

  async stop(): Promise<void> {
    for (const { client, database } of this.#pairs) {
      client.destroy();
      database.destroy();
    }
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(client: Socket): void {
    if (this.isClosed) {
      client.resetAndDestroy();
      return;
    }
    const database = connect(Number(this.#target.port), this.#target.hostname);
    const pair = { client, database };
    this.#pairs.add(pair);
    for (const socket of [client, database]) socket.on("error", () => {});
    database.on("data", (data) => client.writable && client.write(data));
    database.on("close", () => {
      this.#pairs.delete(pair);
      client.destroy();
    });
    let isCut = false;
    client.on("close", () => {
      if (!isCut) database.destroy();
    });
    client.on("data", (data: Buffer) => {
      const fault = this.#next;
      if (fault === undefined || !isCommit(data)) {
        database.write(data);
        if (isQuestion(data)) this.#deliver();
        return;
      }
      this.#next = undefined;
      this.isClosed = this.#closesWithFault;
      this.faults++;
      isCut = true;
      this.#cut(fault, pair, data);
    });
  }

  #cut(fault: CommitFault, pair: Pair, commit: Buffer): void {
    const { client, database } = pair;
    database.removeAllListeners("data");
    if (fault === "unanswered") {
      // The answer is the proof that it was executed; those to statements before it come first.
      let answers = Buffer.alloc(0);
      database.on("data", (data: Buffer) => {
        answers = Buffer.concat([answers, data]);
        if (!answers.includes(COMMITTED)) return;
        client.resetAndDestroy();
        database.destroy();
      });
      database.write(commit);
      return;
    }
    client.resetAndDestroy();
    if (fault === "lost") database.destroy();
    else if (fault === "stuck") this.#stuck.push(pair);
    else this.#late.push({ pair, commit });
  }

  #deliver(): void {
    for (const { pair, commit } of this.#late.splice(0)) {
      pair.database.resume();
      pair.database.end(commit);
    }
  }
}

/** The message of a COMMIT, which is mostly sent behind others. */
const COMMIT = "Q\0\0\0\x0bCOMMIT\0";

/** Its answer. */
const COMMITTED = "C\0\0\0\x0bCOMMIT\0";

function isCommit(data: Buffer): boolean {
  return data.includes(COMMIT);
}

/** The statement that asks for the outcome of a commit. */
function isQuestion(data: Buffer): boolean {
  return data.includes("commit_markers") && data.includes("RETURNING batch");
}
