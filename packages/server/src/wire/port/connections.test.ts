import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { type GetGroupRequest, GroupSchema } from "@wharf/contract";
import { type AddressRange, readRange } from "../../lib/net/address-range.ts";
import type { Limits } from "../limits.ts";
import type { CloseReason } from "../observer.ts";
import { open, type TestPort } from "../testing/open.ts";

const WAITS = { timeout: 120_000 };

interface Site {
  readonly port: TestPort;
  readonly closed: CloseReason[];
  /** Lets requests for the group "slow" be answered. */
  release(): void;
}

async function site(
  t: TestContext,
  limits: Partial<Limits>,
  trusted: readonly string[] = [],
): Promise<Site> {
  const closed: CloseReason[] = [];
  const slow = Promise.withResolvers<void>();
  const GetGroup = async ({ uid }: GetGroupRequest) => {
    if (uid === "slow") await slow.promise;
    return create(GroupSchema, { name: uid });
  };
  const port = await open(
    t,
    { GetGroup },
    {
      limits,
      trustedProxies: trusted.map((text) => readRange(text) as AddressRange),
      observer: { finished: () => {}, closed: (reason) => closed.push(reason) },
    },
  );
  t.after(() => slow.resolve());
  return { port, closed, release: slow.resolve };
}

/** Connects from one of the addresses of this machine. The server accepts in the order of dialing. */
async function dial(t: TestContext, { port }: Site, from: string): Promise<Socket> {
  const socket = connect({ port: port.address.port, host: "127.0.0.1", localAddress: from });
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Sends a request on a connection; returns the response, or undefined if the connection is closed instead. */
async function ask(socket: Socket, uid = "a"): Promise<string | undefined> {
  if (socket.closed) return undefined;
  const heard: Buffer[] = [];
  const listen = (chunk: Buffer) => heard.push(chunk);
  socket.on("data", listen);
  socket.write(`GET /iam/v2beta1/groups/${uid} HTTP/1.1\r\nHost: x\r\n\r\n`);
  while (!`${Buffer.concat(heard)}`.includes(`"name":"${uid}"`)) {
    if (socket.closed) return undefined;
    await Promise.race([once(socket, "data"), once(socket, "close")]);
  }
  socket.off("data", listen);
  return uid;
}

test(
  "a network that has its share gives up its idlest connection for a new one",
  WAITS,
  async (t) => {
    const here = await site(t, { connectionsPerNetwork: 3 });
    const [first, second, third] = [
      await dial(t, here, "127.0.0.2"),
      await dial(t, here, "127.0.0.2"),
      await dial(t, here, "127.0.0.2"),
    ];
    // Half a request is no activity.
    third.write("GET /iam/v2beta1/groups/a HTTP/1.1\r\nHost: x\r\nX-A: ");
    assert.equal(await ask(second), "a");
    assert.equal(await ask(first), "a");
    const fourth = await dial(t, here, "127.0.0.2");
    assert.equal(await ask(fourth), "a");
    if (!third.closed) await once(third, "close");
    assert.deepEqual([await ask(first), await ask(second)], ["a", "a"]);
    const other = await dial(t, here, "127.0.0.3");
    assert.equal(await ask(other), "a", "others have a share of their own");
    assert.deepEqual(here.closed, ["address"]);
  },
);

test("busy connections are not closed for another one of the same network", WAITS, async (t) => {
  const here = await site(t, { connectionsPerNetwork: 1 });
  const busy = await dial(t, here, "127.0.0.2");
  const answer = ask(busy, "slow");
  while (here.port.methods.calls.length === 0) await sleep(5);
  const late = await dial(t, here, "127.0.0.2");
  assert.equal(await ask(late), undefined);
  assert.deepEqual(here.closed, ["address"]);
  here.release();
  assert.equal(await answer, "slow");
});

test(
  "beyond the total, the network with the most gives up its idlest connection",
  WAITS,
  async (t) => {
    const here = await site(t, { connections: 4 });
    const single = await dial(t, here, "127.0.0.3");
    const many: Socket[] = [];
    for (let n = 0; n < 3; n++) many.push(await dial(t, here, "127.0.0.2"));
    for (const socket of [...many].reverse()) assert.equal(await ask(socket), "a");
    const newcomer = await dial(t, here, "127.0.0.4");
    assert.equal(await ask(newcomer), "a");
    assert.equal(await ask(many[2] as Socket), undefined, "the idlest");
    // The single one is idler than all of them, and stays.
    assert.equal(await ask(single), "a");
    const greedy = await dial(t, here, "127.0.0.2");
    assert.equal(await ask(greedy), "a");
    assert.equal(await ask(many[1] as Socket), undefined, "its own");
    assert.deepEqual(here.closed, ["total", "total"]);
  },
);

test("a network that keeps all connections busy still yields to others", WAITS, async (t) => {
  const here = await site(t, { connections: 3 });
  for (let n = 0; n < 3; n++) {
    void ask(await dial(t, here, "127.0.0.2"), "slow");
    while (here.port.methods.calls.length <= n) await sleep(5);
  }
  assert.equal(await ask(await dial(t, here, "127.0.0.2")), undefined, "not for itself");
  assert.equal(await ask(await dial(t, here, "127.0.0.3")), "a");
  assert.deepEqual(here.closed, ["total", "total"]);
});

test("trusted proxies have no limit, and are not closed for others", WAITS, async (t) => {
  const limits = { connections: 4, connectionsPerNetwork: 1 };
  const here = await site(t, limits, ["127.0.0.2"]);
  const proxied: Socket[] = [];
  for (let n = 0; n < 3; n++) proxied.push(await dial(t, here, "127.0.0.2"));
  const direct = await dial(t, here, "127.0.0.3");
  assert.equal(await ask(await dial(t, here, "127.0.0.4")), "a");
  assert.equal(await ask(direct), undefined);
  for (const socket of proxied) assert.equal(await ask(socket), "a");
});

async function session(t: TestContext, { port }: Site): Promise<ClientHttp2Session> {
  const made = connectHttp2(port.url);
  t.after(() => made.destroy());
  made.on("error", () => {});
  await once(made, "connect");
  return made;
}

test("an HTTP/2 session without a first request is ended, pings or not", WAITS, async (t) => {
  const here = await site(t, { firstRequestMs: 200, keepAliveMs: 3_600_000 });
  const pinging = await session(t, here);
  const timer = setInterval(() => {
    if (!pinging.destroyed) pinging.ping(() => {});
  }, 20);
  t.after(() => clearInterval(timer));
  if (!pinging.closed) await once(pinging, "close");
  assert.deepEqual(here.closed, ["idle"]);
});

test(
  "an HTTP/2 session without requests is ended, one with a long call is not",
  WAITS,
  async (t) => {
    const here = await site(t, { keepAliveMs: 200, firstRequestMs: 3_600_000 });
    const get = async (from: ClientHttp2Session, uid: string) => {
      const stream = from.request({ ":path": `/iam/v2beta1/groups/${uid}` });
      return JSON.parse(Buffer.concat(await stream.toArray()).toString()).name;
    };
    const [idle, busy] = [await session(t, here), await session(t, here)];
    const slow = get(busy, "slow");
    assert.equal(await get(idle, "a"), "a");
    if (!idle.closed) await once(idle, "close");
    assert.equal(busy.closed, false);
    here.release();
    assert.equal(await slow, "slow");
    if (!busy.closed) await once(busy, "close");
    assert.deepEqual(here.closed, ["idle", "idle"]);
  },
);

test(
  "an HTTP/1 connection without requests is closed, one with a long call is not",
  WAITS,
  async (t) => {
    const here = await site(t, { keepAliveMs: 200 });
    const [idle, busy] = [await dial(t, here, "127.0.0.2"), await dial(t, here, "127.0.0.2")];
    const slow = ask(busy, "slow");
    assert.equal(await ask(idle), "a");
    if (!idle.closed) await once(idle, "close");
    assert.equal(busy.closed, false);
    here.release();
    assert.equal(await slow, "slow");
    if (!busy.closed) await once(busy, "close");
    assert.deepEqual(here.closed, ["idle", "idle"]);
  },
);

test("responses over HTTP/1 tell how long a connection may be idle, unless it is closed", async (t) => {
  const here = await site(t, { keepAliveMs: 65_000 });
  const path = `${here.port.url}/iam/v2beta1/groups/a`;
  const response = await fetch(path);
  assert.equal(response.headers.get("keep-alive"), "timeout=65");
  here.port.drain();
  const last = await fetch(path);
  assert.equal(last.headers.get("connection"), "close");
  assert.equal(last.headers.get("keep-alive"), null);
});
