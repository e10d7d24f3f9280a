/** Traces: what a collector of OpenTelemetry gets. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Tracing } from "../src/observe/tracing/tracing.ts";
import { Http } from "./support/client/http.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code?: number };
}

async function listening(t: TestContext, server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function collector(t: TestContext, status = 200) {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    assert.equal(request.url, "/v1/traces");
    // biome-ignore lint/suspicious/noExplicitAny: the message of the protocol
    const { resourceSpans } = (await json(request)) as any;
    if (status < 300) spans.push(...resourceSpans[0].scopeSpans[0].spans);
    response.writeHead(status).end("{}");
  });
  return { url: await listening(t, server), spans };
}

for (const store of STORES) {
  test(`a request and its write are spans of the caller's trace, on ${store}`, async (t) => {
    const { url, spans } = await collector(t);
    const server = await TestServer.start({ store, flags: ["--otlp-endpoint", url] });
    const token = await server.token();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const create = (traceparent: string, name: string) =>
      fetch(`${server.url}/iam/v2beta1/groups`, {
        method: "POST",
        headers: { ...headers, traceparent },
        body: JSON.stringify({ name }),
      });
    assert.equal((await create(`00-${TRACE}-${CALLER}-01`, "traced")).status, 200);
    assert.equal((await create(`00-${"1".repeat(32)}-${CALLER}-00`, "unrecorded")).status, 200);
    assert.equal((await new Http(server.url, token).get("/iam/v2beta1/roles")).status, 200);
    await server.stop();
    const [request] = spans.filter(({ name }) => name.endsWith("/CreateGroup"));
    assert.ok(request);
    assert.equal(request.traceId, TRACE);
    assert.equal(request.parentSpanId, CALLER);
    assert.equal(request.kind, 2);
    assert.ok(BigInt(request.endTimeUnixNano) >= BigInt(request.startTimeUnixNano));
    const status = request.attributes.find(({ key }) => key === "http.response.status_code");
    assert.deepEqual(status?.value, { intValue: "200" });
    const writes = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
    assert.deepEqual(new Set(writes.map(({ name }) => name)), new Set(["store write"]));
    assert.ok(!spans.some(({ traceId }) => traceId === "1".repeat(32)), "the caller decides");
    const own = spans.find(({ name }) => name.endsWith("/ListRoles"));
    assert.match(own?.traceId ?? "", /^[0-9a-f]{32}$/);
    assert.equal(own?.parentSpanId, undefined);
    assert.ok(!JSON.stringify(spans).includes(token));
  });
}

const settingsFor = (otlpEndpoint: string) => ({ otlpEndpoint, traceSampleRatio: 1 });

test("a request that is sent elsewhere is a span, and continues the trace there", async (t) => {
  const { url, spans } = await collector(t);
  let received: string | undefined;
  const elsewhere = await listening(
    t,
    createServer((request, response) => {
      received = request.headers.traceparent as string;
      response.end("ok");
    }),
  );
  const faults = { fault: () => true };
  const tracing = new Tracing({ settings: settingsFor(url), metrics: { count() {} }, faults });
  const fetched = async () => {
    const [response] = await once(get(elsewhere), "response");
    response.resume();
    await once(response, "end");
  };
  await fetched();
  assert.equal(received, undefined, "no request, no trace");
  const span = tracing.started({ traceId: TRACE, parentId: CALLER, flags: "01" });
  await fetched();
  await tracing.close();
  const [sent, ...others] = spans;
  assert.deepEqual(others, [], "sending spans is no span");
  assert.equal(sent?.kind, 3);
  assert.equal(sent?.parentSpanId, span?.spanId);
  assert.equal(received, `00-${TRACE}-${sent?.spanId}-01`);
});

test("spans that a collector does not accept are counted and dropped", async (t) => {
  const { url } = await collector(t, 503);
  let dropped = 0;
  const messages: string[] = [];
  const tracing = new Tracing({
    settings: settingsFor(url),
    metrics: {
      count(_name, _labels, by = 1) {
        dropped += by;
      },
    },
    faults: { fault: (_cause, _fields, message) => Boolean(messages.push(message)) },
  });
  tracing.started(undefined);
  for (let n = 0; n < 5_000; n++) tracing.writing(Promise.resolve());
  await new Promise((resolve) => setImmediate(resolve));
  await tracing.close();
  assert.equal(dropped, 5_000);
  assert.ok(messages.includes("spans not sent to the collector"));
});
