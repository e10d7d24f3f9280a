/** Measures the cost of anonymous requests with the largest and most tedious bodies. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { checkHealthy } from "../support/client/raw.ts";
import { TestServer } from "../support/server/test-server.ts";

const BYTES = 4 * 1024 * 1024 - 100;
const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const keys = Array.from({ length: 300_000 }, (_, at) => `"k${at}":0`);

const BODIES = [
  [
    "nested arrays",
    "/iam/v2beta1/groups",
    JSON_TYPE,
    "[".repeat(BYTES / 2) + "]".repeat(BYTES / 2),
  ],
  ["unknown fields", "/iam/v2beta1/groups", JSON_TYPE, `{${keys.join()}}`],
  ["unknown fields, in version 1", "/iam/v1/groups/x", JSON_TYPE, `{${keys.join()}}`],
  ["audiences", "/sts/exchange", FORM, "aud=a,b,c,d&".repeat(BYTES / 12)],
  ["commas", "/sts/exchange", FORM, `aud=${",".repeat(BYTES - 4)}`],
  ["parameters", "/oauth/token", FORM, "a&".repeat(BYTES / 2)],
] as const;

/** A tenth of what parsing them took, and many times what rejecting them takes. */
const REQUESTS = 20;
const MAX_CPU_SECONDS = 3;

let server: TestServer;
before(async () => {
  server = await TestServer.start({ flags: ["--log-level", "warn"], ownProcess: true });
});
after(() => server.stop());

/** Processor time that the server has used, in seconds. */
function cpuSeconds(): number {
  const fields =
    readFileSync(`/proc/${server.process.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

for (const [what, path, type, body] of BODIES) {
  test(`${what} of an anonymous caller are not parsed`, { timeout: 120_000 }, async () => {
    const before = cpuSeconds();
    const headers = { "content-type": type, authorization: "Bearer x.y.z" };
    const answers = Array.from({ length: REQUESTS }, async () => {
      const answer = await fetch(server.url + path, { method: "POST", headers, body });
      await answer.arrayBuffer();
      return answer.status;
    });
    const expected = path.startsWith("/iam/") ? 401 : 413;
    assert.deepEqual([...new Set(await Promise.all(answers))], [expected]);
    const used = cpuSeconds() - before;
    assert.ok(used < MAX_CPU_SECONDS, `${used.toFixed(1)} s of processor time`);
    await checkHealthy(server);
  });
}
