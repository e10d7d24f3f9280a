import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { portError } from "../lib/startup-errors.ts";

export interface MetricsListener {
  readonly url: string;
  close(): Promise<void>;
}

/** The format of Prometheus. */
export interface Scraped {
  readonly contentType: string;
  readonly body: string;
}

/** Serves `/metrics`, and nothing else, at an address of its own. */
export async function listenForScrapes(
  { host, port }: { readonly host: string; readonly port: number },
  scrape: () => Promise<Scraped>,
): Promise<MetricsListener> {
  const server = createServer(
    { requestTimeout: 10_000, keepAliveTimeout: 65_000 },
    async (request, response) => {
      request.resume();
      if (request.url?.split("?", 1)[0] !== "/metrics") {
        response.writeHead(404, { "content-type": "text/plain" }).end("only /metrics is here\n");
        return;
      }
      try {
        const { contentType, body } = await scrape();
        response.writeHead(200, { "content-type": contentType }).end(body);
      } catch {
        response.writeHead(500).end();
      }
    },
  );
  server.maxConnections = 100;
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw portError(`${host}:${port}`, error);
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${actual}/metrics`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
