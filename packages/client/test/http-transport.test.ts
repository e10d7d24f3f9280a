/** Tests that failures of servers and proxies look the same with node:http as with `fetch`. */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { createWharf, type Wharf, WharfError } from "@wharf/client";
import { type Protocol, transportOf } from "./support/recording-client.ts";

const GROUP = JSON.stringify({ uid: "a".repeat(40), name: "acme – ünïcode" });

describe("REST with fetch and with node:http", () => {
  let server: Server;
  let baseUrl: string;
  let connections = 0;
  let requests: IncomingMessage[] = [];
  let answer: RequestListener;
  before(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      answer(request, response);
    });
    server.on("connection", () => connections++);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    requests = [];
  });

  const clientOf = (protocol: Protocol, url = baseUrl): Wharf =>
    createWharf({ baseUrl: url, token: "secret", retries: 0, transport: transportOf(protocol) });

  /** The outcome of a call over each, which must be the same. */
  async function outcome(call: (wharf: Wharf) => Promise<unknown>): Promise<unknown> {
    const outcomes: unknown[] = [];
    for (const protocol of ["REST", "HTTP"] as const) {
      outcomes.push(
        await call(clientOf(protocol)).catch((thrown: unknown) => {
          assert.ok(thrown instanceof WharfError, String(thrown));
          const { code, httpStatus, requestId, retryAfterMs, message } = thrown;
          return { code, httpStatus, requestId, retryAfterMs, message };
        }),
      );
    }
    assert.deepEqual(outcomes[1], outcomes[0]);
    return outcomes[1];
  }

  const get = (wharf: Wharf) => wharf.groups.get({ uid: "a".repeat(40) });
  const json = (response: ServerResponse, headers: Record<string, string>, body: Buffer | string) =>
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);

  test("responses are decoded, however they are encoded and cut", async () => {
    for (const [encoding, body] of [
      ["identity", Buffer.from(GROUP)],
      ["gzip", gzipSync(GROUP)],
      ["deflate", deflateSync(GROUP)],
    ] as const) {
      answer = async (_, response) => {
        response.writeHead(200, { "content-encoding": encoding });
        // In the middle of a character.
        for (const byte of body) response.write(Buffer.of(byte));
        response.end();
      };
      const { name } = (await outcome(get)) as { name: string };
      assert.equal(name, "acme – ünïcode", encoding);
    }
  });

  test("requests have the same path, headers and body", async () => {
    answer = (request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        const { method, url, headers } = request;
        const { authorization, "content-type": type, "content-length": length } = headers;
        const agent = headers["user-agent"];
        const name = JSON.stringify([method, url, authorization, type, length, agent, body]);
        json(response, {}, JSON.stringify({ name }));
      });
    };
    await outcome(get);
    await outcome((wharf) =>
      wharf.groups.create({ group: { name: "ü" } }, { idempotencyKey: "k" }),
    );
    await outcome((wharf) => wharf.groups.delete({ uid: "a".repeat(40) }));
    assert.equal(requests.length, 6);
  });

  test("errors of servers and proxies", async () => {
    const status = { code: 8, message: "Resource exhausted: slow down", details: [] };
    answer = (_, response) =>
      response
        .writeHead(429, { "retry-after": "7", "x-request-id": "a-1" })
        .end(JSON.stringify(status));
    const error = (await outcome(get)) as Record<string, unknown>;
    assert.deepEqual(
      [error.code, error.retryAfterMs, error.requestId],
      ["RESOURCE_EXHAUSTED", 7_000, "a-1"],
    );
    answer = (_, response) => response.writeHead(502, "Bad Gateway").end("<html>");
    assert.equal(((await outcome(get)) as { message: string }).message, "HTTP 502 Bad Gateway");
    answer = (_, response) => json(response, {}, "<html>");
    assert.equal(((await outcome(get)) as { code: string }).code, "INTERNAL");
  });

  test("redirects are not followed", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      answer = (_, response) => response.writeHead(status, { location: `${baseUrl}/other` }).end();
      const { code, message } = (await outcome(get)) as { code: string; message: string };
      assert.deepEqual(
        [code, message],
        ["UNAVAILABLE", `Unavailable: no response from ${baseUrl}: unexpected redirect`],
      );
    }
    assert.ok(requests.every(({ url }) => url !== "/other"));
  });

  test("lost and truncated responses are no responses", async () => {
    answer = (request) => request.socket.destroy();
    assert.equal(await codeOf("HTTP"), "UNAVAILABLE");
    answer = (request, response) => {
      response
        .writeHead(200, { "content-length": "1000" })
        .write(GROUP, () => request.socket.destroy());
    };
    assert.equal(await codeOf("HTTP"), "UNAVAILABLE");
    answer = (_, response) => json(response, { "content-encoding": "gzip" }, GROUP);
    assert.equal(await codeOf("HTTP"), "UNAVAILABLE");
  });

  const codeOf = (protocol: Protocol, url = baseUrl): Promise<unknown> =>
    get(clientOf(protocol, url)).then(
      () => "OK",
      (thrown: WharfError) => thrown.code,
    );

  test("a URL with credentials is rejected before anything is sent", async () => {
    const url = baseUrl.replace("127", "user:password@127");
    for (const protocol of ["REST", "HTTP"] as const) {
      assert.equal(await codeOf(protocol, url), "UNAVAILABLE");
    }
    assert.equal(requests.length, 0);
  });

  test("a canceled call ends its request", async () => {
    const controller = new AbortController();
    const closed = new Promise((resolve) => {
      answer = (request) => {
        request.socket.once("close", resolve);
        controller.abort(new Error("enough"));
      };
    });
    const call = clientOf("HTTP").groups.get(
      { uid: "a".repeat(40) },
      { signal: controller.signal },
    );
    await assert.rejects(call, { message: "enough" });
    await closed;
  });

  test("calls share a connection", async () => {
    answer = (_, response) => json(response, {}, GROUP);
    const wharf = clientOf("HTTP");
    await get(wharf);
    const already = connections;
    for (let call = 0; call < 5; call++) await get(wharf);
    assert.equal(connections, already);
  });
});
