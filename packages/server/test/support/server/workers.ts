/** Clients of the workers of one server, each with a connection of its own. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestServer } from "./test-server.ts";

/** The latest process of each worker, by its number. */
export function workerPids(log: string): Map<number, number> {
  const ready = log.matchAll(/"worker":(\d+),"pid":(\d+),"msg":"worker ready"/g);
  return new Map(Array.from(ready, ([, worker, pid]) => [Number(worker), Number(pid)]));
}

interface Sent {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One connection, and so one worker. */
export class WorkerClient {
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async send(method: string, path: string, { body, token = this.#token, headers }: Sent = {}) {
    const sent = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const all = {
      authorization: `Bearer ${token}`,
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...(sent === undefined ? {} : { "content-length": Buffer.byteLength(sent) }),
      ...headers,
    };
    const asked = request(`${this.#url}${path}`, { agent: this.#agent, method, headers: all });
    asked.end(sent);
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const answer = await text(response);
    const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
    const parsed: any = isJson ? JSON.parse(answer) : answer;
    return { status: response.statusCode, body: parsed };
  }

  get(path: string, token?: string) {
    return this.send("GET", path, token === undefined ? {} : { token });
  }

  post(path: string, body: unknown) {
    return this.send("POST", path, { body });
  }

  delete(path: string) {
    return this.send("DELETE", path);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A client for each worker of a server, in the order of their numbers. */
export async function clientsOfWorkers(server: TestServer, count: number): Promise<WorkerClient[]> {
  const token = await server.token();
  const clients = new Map<number, WorkerClient>();
  // Connections are distributed in turn.
  for (let at = 0; at < 2 * count && clients.size < count; at++) {
    const client = new WorkerClient(server.url, token);
    const id = randomUUID();
    await client.send("GET", "/ping/v2beta1/ping", { headers: { "x-request-id": id } });
    const worker = await loggedWorker(server, id);
    if (clients.has(worker)) client.close();
    else clients.set(worker, client);
  }
  assert.equal(clients.size, count, "a client for each worker");
  return [...clients].sort(([a], [b]) => a - b).map(([, client]) => client);
}

/** The worker that has logged a request. */
async function loggedWorker(server: TestServer, id: string): Promise<number> {
  for (;;) {
    const line = server.logLines.find((one) => one.includes(id));
    if (line !== undefined) return JSON.parse(line).worker;
    await sleep(20);
  }
}
