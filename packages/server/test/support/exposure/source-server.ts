/** A server of vulnerability data on a port of its own, which speaks HTTP as buckets and web servers do. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ServedFile {
  readonly content: string | Uint8Array;
  readonly modified?: Date | undefined;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export class SourceServer {
  /** The paths of requests, with the status of the answer. */
  readonly requests: { path: string; status: number; authorization: string | undefined }[] = [];
  readonly #files = new Map<string, ServedFile | Answer>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? "");
      response.once("close", () => {
        const { authorization } = request.headers;
        this.requests.push({ path, status: response.statusCode, authorization });
      });
      const found = this.#files.get(path);
      if (found === undefined) response.writeHead(404).end("no such file");
      else if (typeof found === "function") found(request, response);
      else serve(found, request, response);
    });
  }

  static async start(): Promise<SourceServer> {
    const server = new SourceServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Serves a file with validators, or an answer of another kind. */
  put(path: string, file: ServedFile["content"] | Answer, modified?: Date): void {
    this.#files.set(path, typeof file === "function" ? file : { content: file, modified });
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  /** The paths that were requested since the last call, of answers with this status. */
  taken(status: number): string[] {
    const paths = this.requests.filter((one) => one.status === status).map(({ path }) => path);
    this.requests.length = 0;
    return paths;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function serve(
  { content, modified }: ServedFile,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const etag = `"${createHash("sha256").update(content).digest("hex").slice(0, 16)}"`;
  response.setHeader("etag", etag);
  if (modified !== undefined) response.setHeader("last-modified", modified.toUTCString());
  if (headers["if-none-match"] === etag) response.writeHead(304).end();
  else response.writeHead(200).end(content);
}

/** A record of OSV about one package. */
export function osvRecord(
  id: string,
  ecosystem: string,
  name: string,
  { fixed = "1.2.0", modified = "2026-01-02T00:00:00Z", ...more }: Record<string, unknown> = {},
): object {
  return {
    schema_version: "1.7.0",
    id,
    modified,
    summary: `A vulnerability in ${name}`,
    affected: [
      {
        package: { ecosystem, name },
        ranges: [
          {
            type: ecosystem === "npm" ? "SEMVER" : "ECOSYSTEM",
            events: [{ introduced: "0" }, { fixed }],
          },
        ],
      },
    ],
    ...more,
  };
}

/** A list of changes as buckets have it, newest first. */
export function changesOf(records: readonly object[]): string {
  const all = records as { id: string; modified: string }[];
  const lines = all.map(({ id, modified }) => [Date.parse(modified), `${modified},${id}`] as const);
  return lines
    .sort(([a], [b]) => b - a)
    .map(([, line]) => `${line}\n`)
    .join("");
}
