/** One machine opens as many connections as the server takes; others are served all the same. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { TestServer } from "../support/server/test-server.ts";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const SETTINGS = Buffer.from("000000040000000000", "hex");

const FLOODS = {
  "half-sent requests": (socket: Socket) =>
    socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "),
  "HTTP/2 sessions that answer pings": (socket: Socket) => {
    socket.write(Buffer.concat([PREFACE, SETTINGS]));
    socket.on("data", (bytes: Buffer) => answerPings(socket, bytes));
  },
  "silent sockets": () => {},
};

/** More than all connections that there are, from as many addresses as hold a share of more. */
const MAX_CONNECTIONS = 3_000;
const PER_ADDRESS = 1_000;
const ADDRESSES = 5;
const SOCKETS = 6_000;

for (const [what, begin] of Object.entries(FLOODS)) {
  describe(`a flood of ${what}`, { timeout: 300_000 }, () => {
    let server: TestServer;
    const sockets = new Set<Socket>();
    before(async () => {
      const flags = ["--max-connections", `${MAX_CONNECTIONS}`, "--log-level", "silent"];
      server = await TestServer.start({
        flags: [...flags, "--max-connections-per-address", `${PER_ADDRESS}`],
        ownProcess: true,
      });
    });
    after(async () => {
      for (const socket of sockets) socket.destroy();
      await server.stop();
    });

    test("does not block other clients", async () => {
      for (let at = 0; at < SOCKETS; at++) {
        const socket = dial(server.url, `127.0.0.${2 + (at % ADDRESSES)}`);
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket));
        await Promise.race([once(socket, "connect"), once(socket, "close")]);
        begin(socket);
        if (at % 200 === 0) assert.equal(await health(server.url), 200, `after ${at}`);
      }
      for (let n = 0; n < 20; n++) assert.equal(await health(server.url), 200);
      assert.ok(sockets.size <= MAX_CONNECTIONS, `${sockets.size} are open`);
    });

    test("is closed by the server", async () => {
      while (sockets.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      assert.equal(await health(server.url), 200);
    });
  });
}

function dial(url: string, localAddress: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on("error", () => {});
  socket.resume();
  return socket;
}

/** Sends each ping back as its own acknowledgement. */
function answerPings(socket: Socket, bytes: Buffer): void {
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    const [type, flags] = [bytes[at + 3], bytes[at + 4] as number];
    if (type === 6 && (flags & 1) === 0) {
      const answer = Buffer.from(bytes.subarray(at, end));
      answer[4] = 1;
      socket.write(answer);
    }
    at = end;
  }
}

function health(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/healthz`, { agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    request.on("error", reject);
  });
}
