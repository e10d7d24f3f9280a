import assert from "node:assert/strict";
import { constants } from "node:http2";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { Http } from "./support/client/http.ts";
import {
  checkError,
  checkHealthy,
  checkStatus,
  type Ending,
  RawHttp2,
  sendRaw,
} from "./support/client/raw.ts";
import { IAM } from "./support/fuzz/malformed-calls.ts";
import { fill, malformedRequests, settle } from "./support/fuzz/malformed-requests.ts";
import { FIXED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { TestServer } from "./support/server/test-server.ts";

describe("a server under hostile HTTP/2", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ ownProcess: true });
  });
  after(async () => {
    assert.equal(await server.stop(), 0);
  });

  const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const SETTINGS = Buffer.from("000000040000000000", "hex");

  /** A frame of HTTP/2, of any type, with any flags, on any stream. */
  const frames = fc.noBias(
    fc
      .tuple(fc.nat(12), fc.nat(255), fc.nat(6), fc.uint8Array({ maxLength: 60 }), fc.nat(9))
      .map(([type, flags, stream, payload, lie]) => {
        const head = Buffer.alloc(9);
        head.writeUIntBE(lie === 0 ? 16_777_215 : payload.length + (lie === 1 ? 1 : 0), 0, 3);
        head.writeUInt8(type, 3);
        head.writeUInt8(flags, 4);
        head.writeUInt32BE(stream, 5);
        return Buffer.concat([head, payload]);
      }),
  );

  test("answers REST requests with well-formed errors and in time, as over HTTP/1", async () => {
    const known = await settle(server.url, await server.token());
    const batch = fc.array(malformedRequests, { minLength: 30, maxLength: 30 });
    const property = fc.asyncProperty(batch, async (list) => {
      const raw = new RawHttp2(server.url);
      const all = list.map(async ({ method, path, query, headers, body }) => {
        const search = query.map(([name, value]) => `${name}=${value}`).join("&");
        const pairs = headers.map((line) => {
          const colon = line.indexOf(":");
          return [line.slice(0, colon).toLowerCase(), fill(line.slice(colon + 2), known)];
        });
        const target = fill(`${path}?${search}`, known);
        const head = { ":method": method, ":path": target, ...Object.fromEntries(pairs) };
        const payload = Buffer.from(fill(Buffer.from(body).toString("latin1"), known), "latin1");
        const ending = await raw.send(head, payload);
        checkEnding(ending, `${method} ${target} ${JSON.stringify(pairs)}`);
      });
      await Promise.all(all);
      raw.close();
      await checkHealthy(server);
    });
    await fc.assert(property, { ...FIXED, numRuns: runs(5, 40) });
  });

  function checkEnding({ headers, trailers, body, reset }: Ending, about: string): void {
    const status = Number(headers[":status"]);
    const isGrpc = headers["content-type"] === "application/grpc";
    if (isGrpc) checkStatus({ ...headers, ...trailers }, about);
    // Frames that HTTP/2 itself forbids never become a request.
    else if (Number.isNaN(status)) assert.equal(reset, constants.NGHTTP2_PROTOCOL_ERROR, about);
    else if (status >= 400 && body.length > 0)
      checkError(status, JSON.parse(body.toString()), about);
    else assert.ok(status < 500, about);
  }

  test("closes connections that send garbage after the preface", async () => {
    const batch = fc.array(fc.array(frames, { minLength: 1, maxLength: 12 }), {
      minLength: 20,
      maxLength: 20,
    });
    const property = fc.asyncProperty(batch, async (list) => {
      const talks = list.map((parts) => {
        return sendRaw(server.url, Buffer.concat([PREFACE, SETTINGS, ...parts]), true);
      });
      await Promise.all(talks);
      await checkHealthy(server);
    });
    await fc.assert(property, { ...FIXED, numRuns: runs(3, 15) });
  });

  test("survives floods of SETTINGS, PING, empty frames and resets", async () => {
    const floods = [
      SETTINGS,
      Buffer.from(`000008060000000000${"00".repeat(8)}`, "hex"),
      Buffer.from("000000000000000001", "hex"),
      Buffer.from("00000403000000000100000008", "hex"),
      Buffer.from("000000090000000001", "hex"),
    ].map((one) => Buffer.concat(Array.from({ length: 5_000 }, () => one)));
    for (const flood of floods) {
      await sendRaw(server.url, Buffer.concat([PREFACE, SETTINGS, flood]), true);
      await checkHealthy(server);
    }
  });

  test("serves others during rapid stream resets", async () => {
    const rest = new Http(server.url, await server.token());
    const raws = Array.from({ length: 3 }, () => new RawHttp2(server.url));
    const path = `/${IAM}.GroupsService/ListGroups`;
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc" };
    const drops = raws.map(async (raw) => {
      for (let turn = 0; turn < 40; turn++) {
        for (let stream = 0; stream < 50 && !raw.closed; stream++) raw.drop(headers);
        await new Promise((resolve) => setImmediate(resolve));
      }
      raw.close();
    });
    for (let turn = 0; turn < 20; turn++) {
      assert.equal((await rest.get("/iam/v2beta1/groups")).status, 200);
    }
    await Promise.all(drops);
    await checkHealthy(server);
  });
});
