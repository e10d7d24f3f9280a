/** A sink of events: answers at once, and counts. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { doJobs } from "../program.ts";

export interface SinkJob {
  /** Waits until this many requests have arrived since the start; 0 asks for the count. */
  readonly until: number;
}

export interface Sunk {
  readonly port: number;
  readonly count: number;
}

let count = 0;
let waiting: (() => void) | undefined;
const server = createServer((request, response) => {
  count += 1;
  waiting?.();
  request.resume();
  response.end();
});
server.listen(0, "127.0.0.1");
const listening = once(server, "listening");

doJobs(async ({ until }: SinkJob): Promise<Sunk> => {
  await listening;
  while (count < until) {
    await new Promise<void>((resolve) => {
      waiting = resolve;
    });
  }
  return { port: (server.address() as AddressInfo).port, count };
});
