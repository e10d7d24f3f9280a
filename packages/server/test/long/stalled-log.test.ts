import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "../support/server/scratch-folder.ts";

const WHARF = join(import.meta.dirname, "../../../cli/bin/wharf.cjs");

/** Every request logs its user agent: long ones fill the buffer with few requests. */
const USER_AGENT = "x".repeat(8_000);

test("a server whose log nobody reads answers, and says later how many lines are missing", async (t) => {
  const data = scratchFolder("wharf-stalled-log-");
  const words = [WHARF, "serve", "--listen", "127.0.0.1:0", "--data", data];
  const child = spawn(process.execPath, words);
  t.after(() => child.kill("SIGKILL"));
  const [ready] = await once(createInterface({ input: child.stdout }), "line");
  const url = ready.replace("wharf: ready at ", "");
  const get = (path: string) => fetch(`${url}${path}`, { headers: { "user-agent": USER_AGENT } });

  // Nothing reads stderr yet.
  const dropped = async () =>
    Number(/^wharf_log_lines_dropped_total (\d+)/m.exec(await (await get("/metrics")).text())?.[1]);
  for (let requests = 0; (await dropped()) === 0; requests++) {
    assert.equal((await get("/ping/v2beta1/ping")).status, 200);
    assert.ok(requests < 20_000, "the buffer is not bounded");
  }
  assert.equal((await get("/readyz")).status, 200);

  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const reported = () =>
    lines
      .filter((line) => line.includes("log lines dropped"))
      .reduce((sum, line) => sum + JSON.parse(line).dropped, 0);
  while (reported() === 0 || reported() !== (await dropped())) await sleep(10);
  const before = lines.length;
  await get("/ping/v2beta1/ping");
  while (lines.length === before) await sleep(10);
});
