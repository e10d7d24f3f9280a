import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { FileSink } from "../src/audit/sinks/file-sink.ts";
import { HttpSink } from "../src/audit/sinks/http-sink.ts";
import type { AuditSink, SinkBatch } from "../src/audit/sinks/sink.ts";
import { SyslogSink } from "../src/audit/sinks/syslog-sink.ts";
import { SinkWorker } from "../src/audit/sinks/worker.ts";
import { Leases } from "../src/delivery/leases.ts";
import type { Store } from "../src/store/db/store.ts";
import { writeAudit } from "../src/store/tables/audit/audit-and-events.ts";
import { sinkLease } from "../src/store/tables/audit/sinks.ts";
import { takeLease } from "../src/store/tables/leases.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { STORES } from "./support/server/test-server.ts";

const LEASE_MS = 300;

const workerOf = (store: Store, sink: AuditSink, key: string) => {
  const leases = new Leases(store, { leaseMs: LEASE_MS });
  const quiet = { metrics: { count() {} }, log: { warn() {}, info() {} }, idleMs: 10 };
  return new SinkWorker({ store, leases, ...quiet }, sink, key);
};

/** A sink that can fail, and what it got. */
class TestSink implements AuditSink {
  readonly name = "test";
  readonly got: string[] = [];
  fails = false;
  sending = 0;

  async send({ lines }: SinkBatch): Promise<void> {
    this.sending += 1;
    if (this.fails) throw new Error("down");
    this.got.push(...lines.map(({ json }) => JSON.parse(json).requestId));
  }

  close(): void {}
}

const until = async (condition: () => boolean) => {
  while (!condition()) await sleep(5);
};

for (const kind of STORES) {
  describe(`sinks of the audit log, on ${kind}`, () => {
    let database: NewDatabase;
    let store: Store;
    before(async () => {
      database = await NewDatabase.of(kind);
      store = await database.store();
    });
    after(() => database.close());

    const write = (...ids: string[]) =>
      store.write(async (tx) => {
        for (const requestId of ids) {
          writeAudit(tx, {
            ...{ time: 1_000, actor: "", method: "login", resource: "", requestId },
            ...{ remoteAddress: "", userAgent: "", code: 0, detail: "" },
          });
        }
      });

    test("get every entry in order, across failures and restarts", async () => {
      const sink = new TestSink();
      await write("1", "2");
      const first = workerOf(store, sink, "one");
      first.start();
      await until(() => sink.got.length === 2);
      sink.fails = true;
      await write("3");
      const { sending } = sink;
      await until(() => sink.sending > sending + 1);
      sink.fails = false;
      await until(() => sink.got.length === 3);
      await first.stop();
      await write("4", "5");
      // The lease of a process that was killed keeps others out until it expires.
      await store.write(async (tx) => {
        await takeLease(tx, sinkLease("one"), "killed", LEASE_MS);
      });
      const second = workerOf(store, sink, "one");
      second.start();
      await until(() => sink.got.length === 5);
      await second.stop();
      assert.deepEqual(sink.got, ["1", "2", "3", "4", "5"]);
    });

    test("get each entry from one of two replicas", async () => {
      const sink = new TestSink();
      const other = await database.store();
      const workers = [store, other].map((one) => {
        return workerOf(one, sink, "two");
      });
      for (const worker of workers) worker.start();
      for (let at = 0; at < 20; at++) await write(`r${at}`);
      await until(() => sink.got.includes("r19"));
      await Promise.all(workers.map((worker) => worker.stop()));
      assert.equal(new Set(sink.got).size, sink.got.length);
    });
  });
}

const BATCH: SinkBatch = {
  lines: [
    { json: '{"kind":"entry","uid":"1"}', time: 0, isFailure: false },
    { json: '{"kind":"entry","uid":"2"}', time: 0, isFailure: true },
  ],
};

test("a file is appended to and rotated", async () => {
  const path = join(scratchFolder("wharf-audit-sink-"), "audit.jsonl");
  const sink = new FileSink(path, { maxBytes: 120, keep: 2 });
  for (let at = 0; at < 7; at++) await sink.send(BATCH);
  const lines = (name: string) => readFileSync(name, "utf8").trim().split("\n").length;
  assert.deepEqual([path, `${path}.1`, `${path}.2`].map(lines), [2, 4, 4]);
  assert.throws(() => lines(`${path}.3`), { code: "ENOENT" });
});

test("an HTTP sink gets JSON Lines with its token, and must confirm them", async () => {
  const got: string[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const body = (await Array.fromAsync(request)).join("");
    got.push(`${request.headers.authorization} ${request.headers["content-type"]} ${body}`);
    response.writeHead(status, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const folder = scratchFolder("wharf-audit-sink-");
  const token = join(folder, "token");
  writeFileSync(token, "secret\n");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/audit`);
  const sink = new HttpSink(url, token);
  await sink.send(BATCH);
  const lines = BATCH.lines.map(({ json }) => `${json}\n`).join("");
  assert.deepEqual(got, [`Bearer secret application/jsonl ${lines}`]);
  for (status of [302, 401, 500]) await assert.rejects(sink.send(BATCH), /status/);
  assert.equal(got.length, 4, "redirects are not followed");
  server.close();
});

const skip = spawnSync("openssl", ["version"]).status !== 0 && "openssl makes the certificate";

const SYSLOG = "syslog gets framed messages of RFC 5424 over TLS, with a verified certificate";

test(SYSLOG, { skip }, async () => {
  const folder = scratchFolder("wharf-audit-sink-");
  const [ca, keyFile] = [join(folder, "ca.pem"), join(folder, "key.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"],
      ...["-keyout", keyFile, "-out", ca],
    ],
    { stdio: "ignore" },
  );
  const [cert, key] = [readFileSync(ca, "utf8"), readFileSync(keyFile, "utf8")];
  let got = "";
  const server = createTlsServer({ key, cert }, (socket) => {
    socket.on("data", (chunk) => {
      got += chunk.toString();
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  const sink = new SyslogSink(new URL(`syslog+tls://localhost:${port}?ca=${ca}`));
  await sink.send(BATCH);
  await until(() => got.includes('"uid":"2"'));
  const message = (priority: number, at: number) =>
    new RegExp(
      `^<${priority}>1 1970-01-01T00:00:00.000Z \\S+ wharf \\d+ audit - \\{"kind":"entry","uid":"${at}"\\}$`,
    );
  let rest = got;
  for (const [priority, at] of [
    [110, 1],
    [108, 2],
  ] as const) {
    const [length = ""] = rest.split(" ", 1);
    const start = length.length + 1;
    assert.match(rest.slice(start, start + Number(length)), message(priority, at));
    rest = rest.slice(start + Number(length));
  }
  assert.equal(rest, "");
  sink.close();
  const untrusting = new SyslogSink(new URL(`syslog+tls://localhost:${port}`));
  await assert.rejects(untrusting.send(BATCH), /certificate/);
  server.close();
});
