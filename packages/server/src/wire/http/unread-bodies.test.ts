/** Request bodies that are not read, not sent, or not sent to their end. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpEndpoint, HttpRequest } from "../endpoint.ts";
import { open } from "../testing/open.ts";

/** An endpoint that reads streams, and what became of them. */
function receiving() {
  const ended: { readonly bytes: number; readonly error?: unknown }[] = [];
  let begun = 0;
  const handle = async (request: HttpRequest) => {
    let bytes = 0;
    try {
      for await (const chunk of request.chunks()) {
        bytes += chunk.length;
        begun++;
      }
      ended.push({ bytes });
    } catch (error) {
      ended.push({ bytes, error });
      throw error;
    }
    return { status: 200, headers: {}, body: String(bytes) };
  };
  const endpoint: HttpEndpoint = { method: "POST", path: "/stream", streams: true, handle };
  return { endpoint, ended, begun: () => begun };
}

test("a refused body closes the connection after the responses before it", async (t) => {
  let answer = () => {};
  const slow: HttpEndpoint = {
    method: "GET",
    path: "/slow",
    handle: () =>
      new Promise((resolve) => {
        answer = () => resolve({ status: 200, headers: {}, body: "slow" });
      }),
  };
  const port = await open(t, {}, { endpoints: [slow] });
  const socket = connect(port.address.port, "127.0.0.1");
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk;
  });
  const refused = "POST /none HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello";
  socket.write(`GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${refused}`);
  // The second one has been answered, but must wait for the first.
  while (port.events.length === 0) await sleep(5);
  answer();
  await once(socket, "end");
  assert.deepEqual(heard.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 404"]);
  socket.destroy();
});

test("a stream that a client resets over HTTP/2 is no whole body", async (t) => {
  const { endpoint, ended, begun } = receiving();
  const port = await open(t, {}, { endpoints: [endpoint] });
  const session = connectHttp2(port.url);
  t.after(() => session.destroy());
  const stream = session.request({ ":method": "POST", ":path": "/stream" });
  stream.on("error", () => {});
  stream.write("a part");
  while (begun() === 0) await sleep(5);
  stream.destroy(new Error("canceled"));
  while (ended.length === 0) await sleep(5);
  assert.ok(ended[0]?.error, "the handler must not take the part for the whole");
});

for (const protocol of ["HTTP/1.1", "HTTP/2"]) {
  test(`a client that stops sending is ended by the idle limit, over ${protocol}`, async (t) => {
    const { endpoint, ended, begun } = receiving();
    const limits = { requestMs: 300, keepAliveMs: 300 };
    const port = await open(t, {}, { endpoints: [endpoint], limits });
    let status = "";
    if (protocol === "HTTP/2") {
      const session = connectHttp2(port.url);
      t.after(() => session.destroy());
      const stream = session.request({ ":method": "POST", ":path": "/stream" });
      stream.on("error", () => {});
      stream.on("response", (headers) => {
        status = String(headers[":status"]);
      });
      stream.write("a part");
    } else {
      const socket = connect(port.address.port, "127.0.0.1");
      t.after(() => socket.destroy());
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        status ||= String(chunk).split(" ")[1] ?? "";
      });
      socket.write("POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\na part");
    }
    while (begun() === 0) await sleep(5);
    while (status === "" || ended.length === 0) await sleep(5);
    assert.equal(status, "504");
    assert.deepEqual([ended[0]?.bytes, ended[0]?.error !== undefined], [6, true]);
  });

  test(`a client that goes on sending has no time limit, over ${protocol}`, async (t) => {
    const { endpoint, ended } = receiving();
    const port = await open(t, {}, { endpoints: [endpoint], limits: { requestMs: 1_000 } });
    const isHttp2 = protocol === "HTTP/2";
    const session = isHttp2 ? connectHttp2(port.url) : undefined;
    t.after(() => session?.destroy());
    const stream = session?.request({ ":method": "POST", ":path": "/stream" });
    const socket = isHttp2 ? undefined : connect(port.address.port, "127.0.0.1");
    t.after(() => socket?.destroy());
    socket?.write("POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n");
    for (let at = 0; at < 15; at++) {
      (stream ?? socket)?.write("x");
      await sleep(100);
    }
    stream?.end();
    while (ended.length === 0) await sleep(5);
    assert.deepEqual(ended, [{ bytes: 15 }]);
  });
}
