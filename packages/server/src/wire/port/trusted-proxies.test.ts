import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:http2";
import { describe, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { GetGroupRequestSchema, GroupSchema } from "@wharf/contract";
import { type AddressRange, readRange } from "../../lib/net/address-range.ts";
import { encodeFrame } from "../grpc/frame.ts";
import { GrpcClient } from "../testing/grpc-client.ts";
import { open, type TestPort } from "../testing/open.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

function ranges(...texts: string[]): AddressRange[] {
  return texts.map((text) => {
    const range = readRange(text);
    assert.ok(range, text);
    return range;
  });
}

const PROXIES = new TrustedProxies(ranges("10.0.0.0/8", "192.0.2.1", "2001:db8:aa::/48"));

describe("the client address", () => {
  const many = (count: number, entry: string) => Array(count).fill(entry).join(",");
  for (const [what, peer, forwarded, client] of [
    ["is the peer's without the header", "10.0.0.1", undefined, "10.0.0.1"],
    ["is what the proxy says", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["is not what a stranger says", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["is not what a neighbour of a proxy says", "192.0.2.2", "198.51.100.1", "192.0.2.2"],
    ["is the last, not the one it claims", "10.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"],
    ["is not a claimed proxy's", "10.0.0.1", "6.6.6.6,10.0.0.9,203.0.113.9", "203.0.113.9"],
    ["is before further proxies", "10.0.0.1", "6.6.6.6, 203.0.113.9, 10.2.3.4", "203.0.113.9"],
    ["is the first of nothing but proxies", "10.0.0.1", "10.7.7.7, 192.0.2.1", "10.7.7.7"],
    [
      "is the proxy that forwarded something else than an address",
      "10.0.0.1",
      "unknown, 10.2.3.4",
      "10.2.3.4",
    ],
    ["is the peer's where it passes on nonsense", "10.0.0.1", "203.0.113.9, _x", "10.0.0.1"],
    ["is the peer's where an entry is empty", "10.0.0.1", "203.0.113.9,", "10.0.0.1"],
    ["is the peer's where the header is empty", "10.0.0.1", "", "10.0.0.1"],
    ["is the peer's where only commas are", "10.0.0.1", many(9, ""), "10.0.0.1"],
    ["has no port", "10.0.0.1", "203.0.113.9:41234", "203.0.113.9"],
    ["may be IPv6", "2001:db8:aa::1", "2001:db8:bb::7", "2001:db8:bb::7"],
    ["has no brackets", "10.0.0.1", "[2001:db8:bb::7]", "2001:db8:bb::7"],
    ["has neither brackets nor port", "10.0.0.1", "[2001:db8:bb::7]:443", "2001:db8:bb::7"],
    [
      "is before proxies with ports",
      "10.0.0.1",
      "2.2.2.2:1,[2001:db8:aa::1]:2,10.1.1.1:3",
      "2.2.2.2",
    ],
    ["is written in one way", "10.0.0.1", "2001:DB8:BB:0:0:0:0:7", "2001:db8:bb::7"],
    ["may have any space around it", "10.0.0.1", " \t203.0.113.9 , 10.2.3.4\t", "203.0.113.9"],
    ["is seen through a socket of both families", "::ffff:10.0.0.1", "2.2.2.2", "2.2.2.2"],
    ["is IPv4 for an IPv4-mapped IPv6 address", "10.0.0.1", "2.2.2.2, ::ffff:0a02:0304", "2.2.2.2"],
    ["is a stranger's, as IPv4", "::ffff:203.0.113.9", "2.2.2.2", "203.0.113.9"],
    ["has no IPv4 in brackets", "10.0.0.1", "[203.0.113.9]:80", "10.0.0.1"],
    ["has no open bracket", "10.0.0.1", "[2001:db8:bb::7", "10.0.0.1"],
    ["has no port without digits", "10.0.0.1", "203.0.113.9:", "10.0.0.1"],
    ["is no name", "10.0.0.1", "localhost", "10.0.0.1"],
    ["is no number", "10.0.0.1", "3405803785", "10.0.0.1"],
    ["is not in octal", "10.0.0.1", "010.0.0.1", "10.0.0.1"],
    ["is not quoted", "10.0.0.1", '"203.0.113.9"', "10.0.0.1"],
    ["holds nothing that a log must escape", "10.0.0.1", 'fe80::1%"}', "10.0.0.1"],
    ["has no interface", "10.0.0.1", "fe80::1%eth0", "fe80::1"],
    ["is not parsed from long entries", "10.0.0.1", `${"1".repeat(16_000)}, 10.1.1.1`, "10.1.1.1"],
    ["is before many proxies", "10.0.0.1", `2.2.2.2,${many(31, "10.1.1.1")}`, "2.2.2.2"],
    ["is not before too many", "10.0.0.1", `2.2.2.2,${many(1_600, "10.1.1.1")}`, "10.1.1.1"],
    ["is unknown once the socket is gone", "", "203.0.113.9", ""],
  ] as const) {
    test(what, () => assert.equal(PROXIES.clientOf(peer, forwarded), client));
  }
});

describe("ranges of proxies", () => {
  for (const [text, address, family, prefix] of [
    ["10.0.0.7", "10.0.0.7", "ipv4", 32],
    ["10.0.0.0/8", "10.0.0.0", "ipv4", 8],
    ["::1", "::1", "ipv6", 128],
    ["2001:db8::/32", "2001:db8::", "ipv6", 32],
    ["::ffff:10.0.0.0/104", "::ffff:10.0.0.0", "ipv6", 104],
  ] as const) {
    test(text, () => assert.deepEqual(readRange(text), { address, family, prefix }));
  }

  for (const text of [
    ...["", "proxy", "10.0.0", "10.0.0.256", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "/8"],
    ...["10.0.0.0/8/8", "10.0.0.0/255.0.0.0", "10.0.0.0/08", "0.0.0.0/0", "::/0", "::/129"],
    ...["[::1]", "fe80::1%eth0", "10.0.0.1:80", " 10.0.0.1"],
  ]) {
    test(`not ${JSON.stringify(text)}`, () => assert.equal(readRange(text), undefined));
  }

  test("in one family hold no address of the other, unless it is the same", () => {
    const four = new TrustedProxies(ranges("32.1.13.184/8"));
    assert.equal(four.clientOf("2001:db8::1", "2.2.2.2"), "2001:db8::1");
    const mapped = new TrustedProxies(ranges("::ffff:10.0.0.0/104"));
    assert.equal(mapped.clientOf("10.0.0.1", "2.2.2.2"), "2.2.2.2");
    assert.equal(mapped.clientOf("11.0.0.1", "2.2.2.2"), "11.0.0.1");
  });
});

const PATH = "/iam/v2beta1/groups/a";
const RPC = "/wharf.iam.v2beta1.GroupsService/GetGroup";
const LINES = ["6.6.6.6, 203.0.113.9", "127.0.0.7"];

async function overHttp1(port: TestPort, path = PATH): Promise<void> {
  const sent = request(port.url + path, { headers: { "x-forwarded-for": LINES }, agent: false });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
}

async function overHttp2(port: TestPort): Promise<void> {
  const session = connect(port.url);
  const stream = session.request({ ":path": PATH, "x-forwarded-for": LINES });
  stream.resume();
  await once(stream, "close");
  session.close();
}

async function overGrpcWeb(port: TestPort): Promise<void> {
  const headers = {
    "content-type": "application/grpc-web+proto",
    "x-forwarded-for": LINES.join(", "),
  };
  const message = toBinary(GetGroupRequestSchema, create(GetGroupRequestSchema, { uid: "a" }));
  const body = encodeFrame(0, message);
  await (await fetch(port.url + RPC, { method: "POST", headers, body })).arrayBuffer();
}

for (const [who, trusted, seen] of [
  ["a trusted proxy", ["127.0.0.0/8"], "203.0.113.9"],
  ["anyone else", ["127.0.0.7", "203.0.113.0/24"], "127.0.0.1"],
  ["any proxy, if none is trusted", [], "127.0.0.1"],
] as const) {
  test(`every protocol uses the client's address behind ${who}`, async (t) => {
    const heard: string[] = [];
    const endpoint = { method: "GET", path: "/plain" } as const;
    const port = await open(
      t,
      {
        GetGroup: (_request, { remoteAddress }) => {
          heard.push(remoteAddress);
          return create(GroupSchema);
        },
      },
      {
        trustedProxies: ranges(...trusted),
        endpoints: [
          {
            ...endpoint,
            handle: async ({ remoteAddress }) => {
              heard.push(remoteAddress);
              return { status: 200, headers: {}, body: "" };
            },
          },
        ],
      },
    );
    await overHttp1(port);
    await overHttp1(port, "/plain");
    await overHttp2(port);
    await overGrpcWeb(port);
    const metadata = { "x-forwarded-for": LINES.join(",") };
    const sent = create(GetGroupRequestSchema, { uid: "a" });
    const grpc = new GrpcClient(t, port.url);
    await grpc.unary(RPC, GetGroupRequestSchema, sent, GroupSchema, { metadata });
    assert.deepEqual(heard, Array(5).fill(seen));
    const logged = port.events.map(({ protocol, remoteAddress }) => [protocol, remoteAddress]);
    const protocols = ["rest", "http", "rest", "grpc-web", "grpc"];
    assert.deepEqual(
      logged,
      protocols.map((protocol) => [protocol, seen]),
    );
  });
}

test("a client cannot make the server drop what the proxy adds after many headers", async (t) => {
  const port = await open(t, {}, { trustedProxies: ranges("127.0.0.1") });
  const headers = [
    ...["host", "x", "x-forwarded-for", "6.6.6.6"],
    ...Array(1_100).fill(["a", "b"]).flat(),
    ...["x-forwarded-for", "203.0.113.9"],
  ];
  const sent = request(port.url + PATH, { headers, agent: false });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  assert.equal(answer.statusCode, 431);
  assert.deepEqual(port.events, []);
});
