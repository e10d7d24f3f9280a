/** Tests that a server of several processes starts, fails to start, and ends. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "../support/server/scratch-folder.ts";
import { workerPids } from "../support/server/workers.ts";

const WHARF = join(import.meta.dirname, "../../../cli/bin/wharf.cjs");

interface Started {
  readonly process: ChildProcess;
  readonly stdout: Promise<string>;
  readonly stderr: Promise<string>;
  readonly exit: Promise<readonly unknown[]>;
}

/** A process group of its own, as that of a terminal. */
function serve(...flags: string[]): Started {
  const words = [WHARF, "serve", "--shutdown-delay", "0", "--workers", "2", ...flags];
  const child = spawn(process.execPath, words, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return {
    process: child,
    stdout: text(child.stdout),
    stderr: text(child.stderr),
    exit: once(child, "close"),
  };
}

const ready = async ({ process }: Started) =>
  String((await once(process.stdout as NodeJS.ReadableStream, "data"))[0]);

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("it listens on any port of an IPv6 address, and a signal to all its processes ends it", async () => {
  const data = scratchFolder("wharf-test-");
  const server = serve("--listen", "[::1]:0", "--data", data);
  const line = await ready(server);
  const url = /^wharf: ready at (http:\/\/\[::1\]:[1-9]\d*)\n$/.exec(line)?.[1];
  assert.ok(url, line);
  for (let at = 0; at < 3; at++)
    assert.equal((await fetch(`${url}/readyz`, { headers: { connection: "close" } })).status, 200);

  // One server per data directory.
  const second = serve("--listen", "[::1]:0", "--data", data);
  assert.deepEqual(await second.exit, [1, null]);
  assert.match(await second.stderr, /^wharf: .*\n/);
  assert.match(await second.stderr, new RegExp(`process ${server.process.pid}\\b`));

  process.kill(-(server.process.pid as number), "SIGINT");
  assert.deepEqual(await server.exit, [0, null]);
  assert.equal(await server.stdout, line);
  const pids = workerPids(await server.stderr);
  assert.equal(pids.size, 2);
  assert.deepEqual([...pids.values()].filter(isAlive), []);
});

test("a start that fails is reported once, as that of one process", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const inUse = serve("--listen", `127.0.0.1:${port}`, "--data", scratchFolder("wharf-test-"));
  assert.deepEqual(await inUse.exit, [1, null]);
  assert.match(await inUse.stderr, /^wharf: cannot listen .*the address is in use.*\n$/);
  taken.close();

  const data = scratchFolder("wharf-test-");
  writeFileSync(
    join(data, "wharf.db"),
    "no database at all, but long enough to look like one".repeat(20),
  );
  const broken = serve("--listen", "127.0.0.1:0", "--data", data);
  assert.deepEqual(await broken.exit, [1, null]);
  assert.match(await broken.stderr, /^wharf: .*not a database.*\n$/);
});

test("workers end when their supervisor was killed", async () => {
  const server = serve("--listen", "127.0.0.1:0", "--data", scratchFolder("wharf-test-"));
  await ready(server);
  server.process.kill("SIGKILL");
  const pids = workerPids(await server.stderr);
  while ([...pids.values()].some(isAlive)) await sleep(20);
});
