/** Streamed responses. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type ClientHttp2Stream, connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { WharfError } from "../../lib/errors.ts";
import { open, type TestPort } from "../testing/open.ts";

const CHUNK = `"${"x".repeat(50_000)}",`;

/** The progress of a producer of chunks. */
interface Made {
  chunks: number;
  ended: boolean;
}

/** A port whose list of groups has so many chunks, then ends or fails. */
async function answering(t: TestContext, count: number, failure?: Error) {
  const made: Made = { chunks: 0, ended: false };
  async function* chunks() {
    try {
      yield "[";
      for (; made.chunks < count; made.chunks++) {
        // Yields to the event loop, as a store would.
        await sleep(0);
        yield CHUNK;
      }
      if (failure) throw failure;
      yield "1]";
    } finally {
      made.ended = true;
    }
  }
  const port = await open(t, { ListGroups: () => ({ chunks: chunks() }) });
  return { port, made };
}

const PATH = "/iam/v2beta1/groups";

async function begin(port: TestPort, headers: Record<string, string> = {}, method = "GET") {
  const request = get(`${port.url}${PATH}`, { method, headers });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { request, response };
}

async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await sleep(5);
}

const WHOLE = `[${CHUNK.repeat(40)}1]`;

test("chunks arrive as one response over HTTP/1.1, without a length", async (t) => {
  const { port } = await answering(t, 40);
  const { response } = await begin(port);
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers["content-length"], undefined);
  assert.equal(response.headers["content-type"], "application/json");
  assert.equal(response.headers["cache-control"], "no-store");
  assert.ok(response.headers["x-request-id"]);
  assert.equal((await bytesOf(response)).toString(), WHOLE);
  await until(() => port.events.length === 1);
  const { httpStatus, code, bytesOut } = port.events[0] ?? {};
  assert.deepEqual([httpStatus, code, bytesOut], [200, 0, WHOLE.length]);
});

test("they are compressed if the client accepts it", async (t) => {
  const { port } = await answering(t, 40);
  const { response } = await begin(port, { "accept-encoding": "gzip" });
  assert.equal(response.headers["content-encoding"], "gzip");
  assert.equal(response.headers.vary, "Accept-Encoding");
  const packed = await bytesOf(response);
  assert.ok(packed.length < WHOLE.length / 10);
  assert.equal(gunzipSync(packed).toString(), WHOLE);
  await until(() => port.events.length === 1);
  assert.equal(port.events[0]?.bytesOut, packed.length, "as they went out");
});

test("HEAD gets the headers, and no chunk is produced", async (t) => {
  const { port, made } = await answering(t, 40);
  const { response } = await begin(port, {}, "HEAD");
  assert.equal(response.statusCode, 200);
  assert.equal((await bytesOf(response)).length, 0);
  await until(() => port.events.length === 1);
  assert.equal(made.chunks, 0);
});

test("an error in a chunk closes the connection", async (t) => {
  const failure = new WharfError("UNAVAILABLE", "the store cannot be read");
  for (const headers of [{}, { "accept-encoding": "gzip" }] as Record<string, string>[]) {
    const { port, made } = await answering(t, 40, failure);
    const { response } = await begin(port, headers);
    assert.equal(response.statusCode, 200);
    await assert.rejects(bytesOf(response), { code: "ECONNRESET" });
    await until(() => port.events.length === 1);
    assert.equal(port.events[0]?.code, 14);
    assert.ok(made.ended);
  }
});

test("a client that disconnects stops the producer, without an error of the server", async (t) => {
  const { port, made } = await answering(t, 100_000);
  const { request, response } = await begin(port);
  await once(response, "data");
  request.destroy();
  await until(() => made.ended);
  await until(() => port.events.length === 1);
  assert.equal(port.events[0]?.error?.code, "CANCELLED");
  assert.ok(made.chunks < 1_000, `${made.chunks} chunks were produced without a reader`);
});

test("a client that does not read stops the producer", async (t) => {
  const { port, made } = await answering(t, 100_000);
  const { request, response } = await begin(port);
  response.pause();
  let before = -1;
  // Until what lies in between is full, and the making stands still.
  while (made.chunks !== before) {
    before = made.chunks;
    await sleep(200);
  }
  assert.ok(before < 1_000, `${before} chunks are in memory`);
  request.destroy();
  await until(() => made.ended);
});

function stream(t: TestContext, port: TestPort): ClientHttp2Stream {
  const session = connect(port.url);
  t.after(() => session.destroy());
  return session.request({ ":path": PATH });
}

test("chunks arrive as one response over HTTP/2", async (t) => {
  const { port } = await answering(t, 40);
  const sent = stream(t, port);
  const [headers] = await once(sent, "response");
  assert.equal(headers[":status"], 200);
  assert.equal((await bytesOf(sent)).toString(), WHOLE);
});

test("an error in a chunk resets the stream over HTTP/2", async (t) => {
  const { port } = await answering(t, 40, new Error("broken"));
  const sent = stream(t, port);
  await once(sent, "response");
  await assert.rejects(bytesOf(sent), /NGHTTP2_INTERNAL_ERROR/);
  await until(() => port.events.length === 1);
  assert.equal(port.events[0]?.code, 13);
});

test("a client that resets the stream over HTTP/2 stops the producer", async (t) => {
  const { port, made } = await answering(t, 100_000);
  const sent = stream(t, port);
  await once(sent, "data");
  sent.close(8);
  await until(() => made.ended && port.events.length === 1);
  assert.equal(port.events[0]?.error?.code, "CANCELLED");
});
