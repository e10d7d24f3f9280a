import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "../support/server/scratch-folder.ts";

const WHARF = join(import.meta.dirname, "../../../cli/bin/wharf.cjs");

/** Enough for a start, but not for the crowd. */
const OPEN_FILES = 64;

test("a server without file descriptors serves its connections, logs the cause, and recovers", async (t) => {
  const data = scratchFolder("wharf-descriptors-");
  const words = [WHARF, "serve", "--listen", "127.0.0.1:0", "--data", data];
  const limits = `--nofile=${OPEN_FILES}:${OPEN_FILES}`;
  const child = spawn("prlimit", [limits, process.execPath, ...words]);
  t.after(() => child.kill("SIGKILL"));
  const log: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const [ready] = await once(createInterface({ input: child.stdout }), "line");
  const url = new URL(ready.replace("wharf: ready at ", ""));

  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const get = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(new URL(path, url), { agent }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      sent.on("error", reject).end();
    });
  assert.equal(await get("/healthz"), 200);

  const crowd = Array.from({ length: 4 * OPEN_FILES }, () => {
    const socket = connect(Number(url.port), url.hostname);
    return socket.on("error", () => {});
  });
  const hasLine = (text: string) => log.some((line) => line.includes(text));
  while (!hasLine("no file descriptors left")) {
    assert.equal(await get("/healthz"), 200);
    await sleep(20);
  }
  for (const socket of crowd) socket.destroy();
  while (!hasLine("file descriptors are available again")) await sleep(20);

  const errors = log
    .filter((line) => line.startsWith('{"level":"error"'))
    .map((line) => JSON.parse(line));
  assert.equal(errors.length, 1, log.join("\n"));
  assert.equal(errors[0].cause, "file_descriptors");
  assert.equal(errors[0].limit, OPEN_FILES);
  const metrics = await (await fetch(new URL("/metrics", url))).text();
  assert.match(metrics, /^wharf_file_descriptor_errors_total\{operation="\w+"\} [1-9]/m);
  assert.ok(hasLine("the limit of open files (64) is below --max-connections"));
});
