/** Bare node:http: responds to every request with the same bytes. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { doJobs } from "../program.ts";

export interface Served {
  readonly body: string;
}

doJobs(async ({ body }: Served): Promise<{ port: number }> => {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port };
});
