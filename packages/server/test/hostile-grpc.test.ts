import assert from "node:assert/strict";
import { constants } from "node:http2";
import { after, afterEach, before, describe, test } from "node:test";
import fc from "fast-check";
import {
  checkHealthy,
  checkStatus,
  frame,
  parseAnswer,
  RawHttp2,
  sendRaw,
  webTrailers,
} from "./support/client/raw.ts";
import { GOOD_CALLS, malformedCalls, payloadOf } from "./support/fuzz/malformed-calls.ts";
import { FIXED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

for (const store of STORES) {
  describe(`a server on ${store} under hostile gRPC calls`, () => {
    let server: TestServer;
    let token: string;
    let open: RawHttp2[] = [];
    before(async () => {
      server = await TestServer.start({ store, ownProcess: true });
      token = await server.token();
    });
    afterEach(() => {
      for (const raw of open) raw.close();
      open = [];
    });
    after(async () => {
      assert.equal(await server.stop(), 0);
    });

    function dial(): RawHttp2 {
      const raw = new RawHttp2(server.url);
      open.push(raw);
      return raw;
    }

    test("answers each with a status or closes the connection, in time", async () => {
      const batch = fc.array(malformedCalls, { minLength: 30, maxLength: 30 });
      const property = fc.asyncProperty(batch, async (list) => {
        const raw = dial();
        const all = list.map(async (request) => {
          const path = request.path ?? request.call.path;
          // A length that lies makes HTTP/2 end the whole connection: that one gets its own.
          const lies = request.headers.some(([name]) => name === "content-length");
          const ending = await (lies ? dial() : raw).send(
            {
              ":method": "POST",
              ":path": path,
              "content-type": "application/grpc",
              te: "trailers",
              authorization: `Bearer ${token}`,
              ...Object.fromEntries(request.headers),
            },
            payloadOf(request),
          );
          const found = { ...ending.headers, ...ending.trailers };
          if (found["grpc-status"] !== undefined) checkStatus(found, path);
          else assert.notEqual(ending.reset, constants.NGHTTP2_NO_ERROR, `${path} has no status`);
        });
        await Promise.all(all);
        raw.close();
        await checkHealthy(server);
      });
      await fc.assert(property, {
        ...FIXED,
        numRuns: store === "sqlite" ? runs(4, 40) : runs(2, 20),
      });
    });

    test("rejects a call without a message, also one that ends before authentication", async () => {
      const [{ path }] = GOOD_CALLS;
      const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc" };
      const raw = dial();
      for (let call = 0; call < 10; call++) {
        const authorization = `Bearer ${token}`;
        const ending = await raw.send(
          { ...headers, te: "trailers", authorization },
          Buffer.alloc(0),
        );
        const found = { ...ending.headers, ...ending.trailers };
        assert.equal(checkStatus(found, path), 12);
      }
    });

    test("rejects methods other than POST", async () => {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const [{ path, bytes }] = GOOD_CALLS;
        const headers = { ":path": path, "content-type": "application/grpc", te: "trailers" };
        const authorization = `Bearer ${token}`;
        const ending = await dial().send(
          { ...headers, authorization, ":method": method },
          frame(bytes),
        );
        const found = { ...ending.headers, ...ending.trailers };
        assert.ok(Number(found[":status"]) === 405 || found["grpc-status"] === "12", method);
      }
    });

    test("answers the same over gRPC-Web, binary and text", async () => {
      const batch = fc.array(fc.tuple(malformedCalls, fc.boolean(), fc.nat(9)), {
        minLength: 30,
        maxLength: 30,
      });
      const property = fc.asyncProperty(batch, async (list) => {
        const all = list.map(async ([request, asText, odd]) => {
          const path = request.path ?? request.call.path;
          const payload = payloadOf(request);
          const text = payload.toString("base64").slice(0, odd === 0 ? -1 : undefined);
          const body = asText ? Buffer.from(text) : payload;
          const own = request.headers.filter(([name]) => /^(grpc-|x-|user)/.test(name));
          const lines = [
            `POST ${path} HTTP/1.1`,
            "Host: localhost",
            "Connection: close",
            `Content-Type: application/grpc-web${asText ? "-text" : ""}+proto`,
            `Content-Length: ${body.length}`,
            `Authorization: Bearer ${token}`,
            ...new Map(own.map(([name, value]) => [name, `${name}: ${value}`])).values(),
          ];
          const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
          const answer = parseAnswer(await sendRaw(server.url, Buffer.concat([head, body])));
          assert.ok(answer !== undefined, path);
          if (answer.status !== 200) {
            assert.ok(answer.status < 500, `${path}: ${answer.status}`);
            return;
          }
          const whole = asText ? Buffer.from(answer.body.toString(), "base64") : answer.body;
          checkStatus(webTrailers(whole), path);
        });
        await Promise.all(all);
        await checkHealthy(server);
      });
      await fc.assert(property, {
        ...FIXED,
        numRuns: store === "sqlite" ? runs(3, 20) : runs(2, 10),
      });
    });
  });
}
