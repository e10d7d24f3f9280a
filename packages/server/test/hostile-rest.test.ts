import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { checkError, checkHealthy, parseAnswer, sendRaw } from "./support/client/raw.ts";
import {
  fill,
  type Known,
  type MalformedRequest,
  malformedRequests,
  settle,
} from "./support/fuzz/malformed-requests.ts";
import { FIXED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

/** 64 MiB when it is decompressed. */
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20), { level: 1 });

for (const store of STORES) {
  describe(`a server on ${store} under hostile REST requests`, () => {
    let server: TestServer;
    let known: Known;
    before(async () => {
      server = await TestServer.start({ store, ownProcess: true });
      const token = await server.token();
      known = await settle(server.url, token);
    });
    after(async () => {
      assert.equal(await server.stop(), 0);
    });

    function bytesOf({ method, path, query, headers, body }: MalformedRequest): Buffer {
      const search = query.map(([name, value]) => `${name}=${value}`).join("&");
      const payload = fill(Buffer.from(body).toString("latin1"), known);
      const lines = [
        `${method} ${path}${search ? `?${search}` : ""} HTTP/1.1`,
        "Host: localhost",
        "Connection: close",
        ...headers,
        ...(payload === "" ? [] : [`Content-Length: ${payload.length}`]),
      ];
      return Buffer.from(`${fill(lines.join("\r\n"), known)}\r\n\r\n${payload}`, "latin1");
    }

    function check(heard: Buffer, about: string, headOnly = false): void {
      const answer = parseAnswer(heard);
      assert.ok(answer !== undefined, `${about} was not answered: ${heard.subarray(0, 100)}`);
      if (headOnly || answer.status === 204) return;
      if (/^content-encoding: gzip/im.test(answer.head)) return;
      const body = JSON.parse(answer.body.toString());
      if (answer.status >= 400) checkError(answer.status, body, about);
      else assert.equal(answer.status, 200, about);
    }

    test("answers each with a well-formed error, in time", async () => {
      const batch = fc.array(malformedRequests, { minLength: 40, maxLength: 40 });
      const property = fc.asyncProperty(batch, async (list) => {
        const all = list.map(async (request) => {
          const bytes = bytesOf(request);
          const about = bytes.subarray(0, 400).toString("latin1");
          check(await sendRaw(server.url, bytes), about, request.method === "HEAD");
        });
        await Promise.all(all);
        await checkHealthy(server);
      });
      await fc.assert(property, {
        ...FIXED,
        numRuns: store === "sqlite" ? runs(5, 50) : runs(3, 25),
      });
    });

    test("rejects bodies above the limit, compressed or not", async () => {
      for (const [body, headers] of [
        [Buffer.alloc(5 * 1024 * 1024, 0x20), ""],
        [BOMB, "Content-Encoding: gzip\r\n"],
      ] as const) {
        const head =
          `POST /iam/v2beta1/groups HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}` +
          `Authorization: Bearer ${known["<token>"]}\r\nContent-Length: ${body.length}\r\n\r\n`;
        const heard = await sendRaw(server.url, Buffer.concat([Buffer.from(head), body]));
        // An answer before the whole request was sent may be cut off by the sender's own system.
        if (heard.length > 0) assert.equal(parseAnswer(heard)?.status, 413);
        await checkHealthy(server);
      }
    });

    test("answers malformed HTTP with a well-formed error", async (t) => {
      const ping = "GET /ping/v2beta1/ping HTTP/1.1\r\n";
      const post = "POST /iam/v2beta1/groups HTTP/1.1\r\nHost: localhost\r\n";
      const malformed = {
        "no host": `${ping}Connection: close\r\n\r\n`,
        "two hosts": `${ping}Host: localhost\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
        "an unknown method": "FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "an unknown expectation": `${post}Expect: tea\r\nConnection: close\r\n\r\n`,
        "a tunnel": "CONNECT example.com:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "two lengths": `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
        "length and chunks": `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        "a negative length": `${post}Content-Length: -1\r\n\r\n`,
        "a chunk without a size": `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
        "a huge chunk": `${post}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n`,
        "a header without a name": `${ping}Host: localhost\r\n: y\r\n\r\n`,
        "a space before the colon": `${ping}Host : x\r\n\r\n`,
        "NUL in a header": `${ping}Host: localhost\r\nX: a\u0000b\r\n\r\n`,
        "a folded header": `${ping}Host: localhost\r\nX: a\r\n b: c\r\nConnection: close\r\n\r\n`,
        "a huge header": `${ping}Host: localhost\r\nX: ${"y".repeat(40_000)}\r\n\r\n`,
        "many headers": `${ping}Host: localhost\r\n${"X: y\r\n".repeat(5_000)}\r\n`,
        "a long path": `GET /${"a".repeat(12_000)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        "a space in the path": "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "another version": "GET / HTTP/3.0\r\nHost: localhost\r\n\r\n",
      };
      for (const [what, bytes] of Object.entries(malformed)) {
        await t.test(what, async () => {
          const heard = await sendRaw(server.url, Buffer.from(bytes, "latin1"));
          const answer = parseAnswer(heard);
          assert.ok(answer !== undefined, `${what} is not answered`);
          const body = answer.body.toString();
          if (answer.status === 200) assert.deepEqual(JSON.parse(body), { response: "pong" }, what);
          else checkError(answer.status, body.startsWith("{") ? JSON.parse(body) : {}, what);
        });
      }
      await checkHealthy(server);
    });

    test("closes connections that send no request", async () => {
      const noise = fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        fc
          .constantFrom("", "\r\n\r\n", "\0", "EHLO x\r\n", "SSH-2.0-x\r\n", "PRI * HT", "GET /")
          .map(Buffer.from),
        fc.constant(Buffer.from("160301020001000100fc0303".padEnd(400, "a7"), "hex")),
      );
      const batch = fc.array(noise, { minLength: 20, maxLength: 20 });
      const property = fc.asyncProperty(batch, async (list) => {
        const heard = await Promise.all(list.map((bytes) => sendRaw(server.url, bytes, true)));
        for (const answer of heard.map(parseAnswer)) {
          if (answer !== undefined) assert.ok(answer.status >= 400 && answer.status < 500);
        }
        await checkHealthy(server);
      });
      await fc.assert(property, { ...FIXED, numRuns: runs(2, 6) });
    });
  });
}
