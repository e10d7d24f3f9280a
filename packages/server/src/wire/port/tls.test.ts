import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { connect } from "node:http2";
import { Agent, get, type RequestOptions } from "node:https";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { credentials } from "@grpc/grpc-js";
import { GetGroupRequestSchema, GroupSchema } from "@wharf/contract";
import { certificate, withoutOpenssl } from "../testing/certificate.ts";
import { GrpcClient } from "../testing/grpc-client.ts";
import { open } from "../testing/open.ts";

const GROUP = { GetGroup: ({ uid }: { uid: string }) => create(GroupSchema, { uid }) };
test("REST over HTTP/1.1 and gRPC over HTTP/2 share a TLS port", {
  skip: withoutOpenssl,
}, async (t) => {
  const tls = certificate();
  const port = await open(t, GROUP, { tls });
  const body = await new Promise<string>((resolve, reject) => {
    const url = `${port.url}/iam/v2beta1/groups/rest`;
    get(url, { ca: tls.cert, agent: false }, (answer) => resolve(text(answer))).on("error", reject);
  });
  assert.equal(JSON.parse(body).uid, "rest");
  const named = port.url.replace("127.0.0.1", "localhost");
  const client = new GrpcClient(t, named, credentials.createSsl(Buffer.from(tls.cert)));
  const group = await client.unary(
    "/wharf.iam.v2beta1.GroupsService/GetGroup",
    GetGroupRequestSchema,
    create(GetGroupRequestSchema, { uid: "grpc" }),
    GroupSchema,
  );
  assert.equal(group.uid, "grpc");
});

/** The headers of a response over TLS, on a connection of the agent. */
function headersOf(url: string, options: RequestOptions): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const request = get(url, options, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.headers));
    });
    request.on("error", reject);
  });
}

test("every response has HSTS", { skip: withoutOpenssl }, async (t) => {
  const tls = certificate();
  const port = await open(t, GROUP, { tls });
  const sts = "strict-transport-security";
  for (const path of ["/iam/v2beta1/groups/a", "/openapi.json", "/nothing", "/%"]) {
    const options = { ca: tls.cert, agent: false };
    assert.equal((await headersOf(port.url + path, options))[sts], "max-age=31536000", path);
  }
  const session = connect(port.url, { ca: tls.cert });
  t.after(() => session.destroy());
  const grpc = { ":method": "POST", "content-type": "application/grpc" };
  for (const headers of [{}, grpc, { ...grpc, "content-type": "application/grpc-web" }]) {
    const stream = session.request(headers);
    stream.resume();
    const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
    assert.equal(answer[sts], "max-age=31536000");
  }
  const plain = await open(t, GROUP);
  assert.equal((await fetch(`${plain.url}/nothing`)).headers.get(sts), null);
});

test("connections over TLS are counted, and closed, as others are", {
  skip: withoutOpenssl,
}, async (t) => {
  const tls = certificate();
  const port = await open(t, GROUP, { tls, limits: { connectionsPerNetwork: 1 } });
  const agents = [1, 2].map(() => new Agent({ keepAlive: true, ca: tls.cert }));
  t.after(() => {
    for (const agent of agents) agent.destroy();
  });
  const url = `${port.url}/iam/v2beta1/groups/a`;
  await headersOf(url, { agent: agents[0] });
  const [first] = Object.values(agents[0]?.freeSockets ?? {}).flat();
  assert.ok(first, "is kept open");
  await headersOf(url, { agent: agents[1] });
  if (!first.closed) await once(first, "close");
});

test("plaintext connections to a TLS port are closed", { skip: withoutOpenssl }, async (t) => {
  const port = await open(t, GROUP, { tls: certificate() });
  await assert.rejects(fetch(port.url.replace("https", "http")));
});

test("new connections get a renewed certificate, and an invalid one changes nothing", {
  skip: withoutOpenssl,
}, async (t) => {
  const [first, second] = [certificate(), certificate()];
  const port = await open(t, GROUP, { tls: first });
  const url = `${port.url}/iam/v2beta1/groups/one`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  await headersOf(url, { ca: first.cert, agent });
  port.renewCertificate(second);
  await headersOf(url, { ca: second.cert, agent: false });
  await assert.rejects(headersOf(url, { ca: first.cert, agent: false }), { code: /CERT|SELF/ });
  await headersOf(url, { ca: first.cert, agent });
  assert.throws(() => port.renewCertificate({ cert: first.cert, key: second.key }));
  await headersOf(url, { ca: second.cert, agent: false });
});
