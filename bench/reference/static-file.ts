/** Bare node:http: responds to every request with a file of the disk. */
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { doJobs } from "../program.ts";

export interface ServedFile {
  readonly file: string;
}

doJobs(async ({ file }: ServedFile): Promise<{ port: number }> => {
  const headers = { "content-length": statSync(file).size };
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    pipeline(createReadStream(file), response, () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port };
});
