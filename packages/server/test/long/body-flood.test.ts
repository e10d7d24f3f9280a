/**
 * Hundreds of concurrent large bodies that stay open: the memory of the server stays bounded, and others are served.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { checkHealthy } from "../support/client/raw.ts";
import { TestServer } from "../support/server/test-server.ts";

const MIB = 1024 * 1024;
const BODIES = 400;
const BODY_BYTES = 4 * MIB - 1_000;
/** Small ones, of callers without a token: as many as streams fit into the connections of one address. */
const SESSIONS = 100;
const STREAMS = 100;
const SMALL_BYTES = 60 * 1024;

/** The bodies here have 1.6 GB and 600 MB; one address may hold 8 MiB. The rest is garbage and kernel buffers. */
const MAX_GROWTH = 256 * MIB;
const HOLD_MS = 4_000;

let server: TestServer;
let token: string;
before(async () => {
  const flags = ["--max-body-memory", "32", "--log-level", "error"];
  server = await TestServer.start({ flags, ownProcess: true });
  token = await server.token();
});
after(() => server.stop());

function residentBytes(): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** The most memory that the server takes while work is in progress, beyond what it took before. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const start = residentBytes();
  let peak = start;
  let isRunning = true;
  const sampling = (async () => {
    while (isRunning) {
      peak = Math.max(peak, residentBytes());
      await sleep(20);
    }
  })();
  await work();
  await checkHealthy(server);
  isRunning = false;
  await sampling;
  return peak - start;
}

function ignoreErrors<T extends Socket | ClientHttp2Session>(one: T): T {
  return (one as Socket).on("error", () => {}) as T;
}

for (const [how, length] of [
  ["of known length", `Content-Length: ${BODY_BYTES + 1}`],
  ["in chunks", "Transfer-Encoding: chunked"],
] as const) {
  test(`${BODIES} large bodies ${how} over REST`, { timeout: 300_000 }, async () => {
    const { hostname, port } = new URL(server.url);
    const body = Buffer.alloc(BODY_BYTES, " ");
    const chunk = Buffer.from(`${BODY_BYTES.toString(16)}\r\n`);
    const growth = await growthDuring(async () => {
      const sockets = Array.from({ length: BODIES }, () => {
        const socket = ignoreErrors(connect(Number(port), hostname));
        socket.resume();
        socket.write(
          `POST ${IMPORT_PATH} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n${length}\r\n\r\n`,
        );
        if (length.startsWith("Transfer")) socket.write(chunk);
        socket.write(body);
        return socket;
      });
      await sleep(HOLD_MS);
      for (const socket of sockets) socket.destroy();
    });
    assert.ok(growth < MAX_GROWTH, `${Math.round(growth / MIB)} MiB`);
  });
}

test(`${BODIES} large messages over gRPC`, { timeout: 300_000 }, async () => {
  const growth = await growthDuring(() => hold(4, BODIES / 4, BODY_BYTES, IMPORT, token));
  assert.ok(growth < MAX_GROWTH, `${Math.round(growth / MIB)} MiB`);
});

for (const path of ["/wharf.oidc.SecurityTokenService/Exchange", "/grpc.health.v1.Health/Check"]) {
  test(`small messages without a token on many streams: ${path}`, {
    timeout: 300_000,
  }, async () => {
    const growth = await growthDuring(() => hold(SESSIONS, STREAMS, SMALL_BYTES, path));
    assert.ok(growth < MAX_GROWTH, `${Math.round(growth / MIB)} MiB`);
  });
}

/** Imports have the largest bodies. */
const IMPORT = "/wharf.vulnerabilities.v2beta1.AdvisoryImportsService/ImportAdvisories";
const IMPORT_PATH = `/vulnerabilities/v2beta1/advisories/${"0".repeat(40)}:import`;

/** Sends messages without their last byte, and holds the streams open. */
async function hold(
  sessions: number,
  streams: number,
  bytes: number,
  path: string,
  bearer = "",
): Promise<void> {
  const frame = Buffer.alloc(5 + bytes);
  frame.writeUInt32BE(bytes + 1, 1);
  const opened = Array.from({ length: sessions }, () => ignoreErrors(connectHttp2(server.url)));
  for (const session of opened) {
    for (let n = 0; n < streams; n++) {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        ...(bearer && { authorization: `Bearer ${bearer}` }),
      });
      stream.on("error", () => {});
      stream.resume();
      stream.write(frame);
    }
  }
  await sleep(HOLD_MS);
  for (const session of opened) session.destroy();
}
