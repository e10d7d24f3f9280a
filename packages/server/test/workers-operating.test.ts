/** A server of several processes with its own listener of metrics, and with certificates that are renewed. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { certificate, withoutOpenssl } from "../src/wire/testing/certificate.ts";
import { freePort } from "./support/server/free-port.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { workerPids } from "./support/server/workers.ts";

const fingerprint = (cert: string) => new X509Certificate(cert).fingerprint256;

describe("two workers over TLS", { skip: withoutOpenssl }, () => {
  const folder = scratchFolder("wharf-workers-tls-");
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const install = (made: { cert: string; key: string }) => {
    writeFileSync(cert, made.cert);
    writeFileSync(key, made.key);
  };
  const first = certificate();
  let server: TestServer;
  let metrics: string;
  /** Connections that are never renewed: consecutive ones are those of different workers. */
  const kept = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  before(async () => {
    install(first);
    metrics = `127.0.0.1:${await freePort()}`;
    const flags = ["--tls-cert", cert, "--tls-key", key, "--metrics-listen", metrics];
    server = await TestServer.start({ workers: 2, flags });
  });
  after(async () => {
    for (const agent of kept) agent.destroy();
    assert.equal(await server?.stop(), 0);
  });

  /** The status, and the certificate of the connection. */
  async function ask(path: string, agent: Agent | false = false) {
    const request = get(server.url + path, { agent, rejectUnauthorized: false });
    const [response] = await once(request, "response");
    const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
    await text(response);
    return { status: response.statusCode, fingerprint256 };
  }

  /** The certificates of new connections, twice as many as there are workers. */
  async function presented(): Promise<Set<string>> {
    const found = new Set<string>();
    for (let at = 0; at < 4; at++) found.add((await ask("/healthz")).fingerprint256);
    return found;
  }

  /** Sends the signal to all processes, as service managers do, and waits until each worker has logged the outcome. */
  async function hangUp(outcome: string): Promise<void> {
    const pids = workerPids(server.log).values();
    for (const pid of [...pids, server.process.pid as number]) process.kill(pid, "SIGHUP");
    const lines = () => server.log.split("\n").filter((line) => line.includes(outcome));
    const workers = () => new Set(lines().map((line) => JSON.parse(line).worker));
    while (workers().size < 2) {
      assert.equal(server.process.exitCode ?? server.process.signalCode, null, "still runs");
      await sleep(20);
    }
    assert.equal(lines().length, 2, "once for each worker");
  }

  test("metrics of all workers are at their own address, and nowhere else", async () => {
    for (const agent of kept) {
      assert.equal((await ask("/metrics", agent)).status, 404);
      assert.equal((await ask("/ping/v2beta1/ping", agent)).status, 200);
    }
    assert.equal((await fetch(`http://${metrics}/healthz`)).status, 404);
    const scraped = await (await fetch(`http://${metrics}/metrics`)).text();
    for (const worker of [1, 2])
      assert.match(scraped, new RegExp(`^process_open_fds{worker="${worker}"} \\d`, "m"));
    assert.match(scraped, /^wharf_request_duration_seconds_count{.*PingService\/Ping.*} 2$/m);
  });

  test("on SIGHUP, each worker presents the new certificate to new connections", async () => {
    assert.deepEqual(await presented(), new Set([fingerprint(first.cert)]));
    const second = certificate();
    install(second);
    await hangUp("certificate reloaded");
    assert.deepEqual(await presented(), new Set([fingerprint(second.cert)]));
    for (const agent of kept) {
      const { status, fingerprint256 } = await ask("/ping/v2beta1/ping", agent);
      assert.deepEqual([status, fingerprint256], [200, fingerprint(first.cert)], "goes on");
    }
    install({ cert: "none", key: second.key });
    await hangUp("certificate not reloaded");
    assert.deepEqual(await presented(), new Set([fingerprint(second.cert)]));
  });
});
