/** Concurrent pushes and pulls of blobs, as docker does them: POST, PATCH with the content, PUT. */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { type Blob, blockOf } from "../blob.ts";
import { doJobs } from "../program.ts";

/** A blob, and the URL of the repository that it is pushed to or pulled from. */
export interface Transfer {
  readonly blob: Blob;
  readonly repository: string;
}

export interface BlobJob {
  readonly token: string;
  readonly pushes: readonly Transfer[];
  readonly pulls: readonly Transfer[];
  /** Repeats each transfer for this long, and then cuts it off; without it, each is done once. */
  readonly seconds?: number;
}

export interface BlobLoad {
  readonly bytes: number;
  readonly seconds: number;
}

async function run(job: BlobJob): Promise<BlobLoad> {
  const agent = new Agent({ keepAlive: true });
  const end = new AbortController();
  const client = new Client(agent, job.token, end.signal);
  const timer = job.seconds && setTimeout(() => end.abort(), job.seconds * 1000);
  const begun = performance.now();
  const repeat = async (work: () => Promise<void>) => {
    do await work();
    while (job.seconds !== undefined && !end.signal.aborted);
  };
  const all = [
    ...job.pushes.map((one) => repeat(() => client.push(one))),
    ...job.pulls.map((one) => repeat(() => client.pull(one))),
  ];
  await Promise.all(
    all.map((one) =>
      one.catch((error) => {
        if (!end.signal.aborted) throw error;
      }),
    ),
  );
  clearTimeout(timer);
  agent.destroy();
  return { bytes: client.bytes, seconds: (performance.now() - begun) / 1000 };
}

class Client {
  bytes = 0;
  readonly #agent: Agent;
  readonly #token: string;
  readonly #signal: AbortSignal;

  constructor(agent: Agent, token: string, signal: AbortSignal) {
    this.#agent = agent;
    this.#token = token;
    this.#signal = signal;
  }

  async push({ blob, repository }: Transfer): Promise<void> {
    const started = await this.#send("POST", `${repository}/blobs/uploads/`, 202);
    const sent = await this.#send("PATCH", locationOf(started, repository), 202, blob);
    const location = locationOf(sent, repository);
    const query = `${location.includes("?") ? "&" : "?"}digest=${blob.digest}`;
    await this.#send("PUT", `${location}${query}`, 201);
  }

  async pull({ blob, repository }: Transfer): Promise<void> {
    const before = this.bytes;
    await this.#send("GET", `${repository}/blobs/${blob.digest}`, 200);
    if (this.bytes - before < blob.bytes) throw new Error("a blob is incomplete");
  }

  async #send(
    method: string,
    url: string,
    expected: number,
    blob?: Blob,
  ): Promise<IncomingMessage> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      "content-type": "application/octet-stream",
      ...(method !== "GET" && { "content-length": blob?.bytes ?? 0 }),
    };
    const sent = request(url, { method, headers, agent: this.#agent, signal: this.#signal });
    const responded = once(sent, "response") as Promise<[IncomingMessage]>;
    let isAnswered = false;
    // Awaited below, where it may fail.
    responded.then(
      () => {
        isAnswered = true;
      },
      () => {},
    );
    if (blob !== undefined) {
      const block = blockOf(blob);
      for (let at = 0; at < blob.bytes; at += block.length) {
        this.bytes += block.length;
        // A server that rejects content answers before it has read all of it.
        if (!sent.write(block)) await Promise.race([once(sent, "drain"), responded]);
        if (isAnswered) break;
      }
    }
    sent.end();
    const [response] = await responded;
    response.on("data", (chunk: Buffer) => {
      this.bytes += chunk.length;
    });
    await once(response, "end", { signal: this.#signal });
    if (response.statusCode !== expected) {
      throw new Error(`${method} ${url}: ${response.statusCode} instead of ${expected}`);
    }
    return response;
  }
}

function locationOf({ headers }: IncomingMessage, repository: string): string {
  return new URL(headers.location ?? "", repository).href;
}

doJobs(run);
