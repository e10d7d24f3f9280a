/** A bare node:http server that requires a bearer token. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Responds to each request with the result of a function of its bearer token and URL; 401 if that throws.
 */
export async function serveTokens(
  answer: (bearer: string, url: string) => Promise<string>,
): Promise<{ port: number }> {
  const server = createServer((request, response) => {
    answer((request.headers.authorization ?? "").slice("Bearer ".length), request.url ?? "").then(
      (body) => {
        const length = Buffer.byteLength(body);
        response.writeHead(200, { "content-type": "application/json", "content-length": length });
        response.end(body);
      },
      () => response.writeHead(401).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port };
}
