/** Workers that replace others open the same files, or none: one port never has two stores. */
import assert from "node:assert/strict";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Http } from "../support/client/http.ts";
import { TestServer } from "../support/server/test-server.ts";
import { workerPids } from "../support/server/workers.ts";
import { until } from "../support/until.ts";

const GROUPS = "/iam/v2beta1/groups";

for (const suffix of ["-shm", "-wal"]) {
  describe(`wharf.db${suffix} is removed, and a worker of two is replaced`, () => {
    let server: TestServer;
    let token: string;
    let file: string;
    let uid: string;
    before(async () => {
      server = await TestServer.start({ workers: 2 });
      token = await server.token();
      await until(async () => workerPids(server.log).size === 2);
      file = join(server.data, `wharf.db${suffix}`);
      uid = (await new Http(server.url, token).post(GROUPS, { name: "acme" })).body.uid;
    });
    after(async () => assert.equal(await server?.stop(), 0));

    /** Requests over new connections: of each worker that serves. */
    const times = async (send: (http: Http) => Promise<{ status: number }>) => {
      const found: number[] = [];
      for (let at = 0; at < 4; at++) found.push((await send(new Http(server.url, token))).status);
      return found;
    };
    const reads = () => times((http) => http.get(`${GROUPS}/${uid}`));
    const writes = () => times((http) => http.patch(`${GROUPS}/${uid}`, { description: "new" }));
    const secondPid = () => workerPids(server.log).get(2) as number;

    test("the replacement does not start, and nothing is read or written", async () => {
      renameSync(file, `${file}.moved`);
      await until(async () => (await fetch(`${server.url}/readyz`)).status === 503);
      process.kill(secondPid(), "SIGKILL");
      await until(async () => server.log.match(/"worker":2,.*worker ended/g)?.length === 2);
      const reason = `wharf: the data directory ${server.data} cannot be used: put the file back, or restart the server (${file} was replaced or removed after it was opened)`;
      assert.ok(server.logLines.includes(reason), server.log);
      assert.ok(!/^ +at /m.test(server.log), "has a stack trace");
      assert.equal(existsSync(file), false, "is not created again");
      assert.deepEqual(await writes(), [503, 503, 503, 503]);
      assert.deepEqual(await reads(), [503, 503, 503, 503]);
    });

    test("once the file is back, it starts, and all workers serve", async () => {
      const before = secondPid();
      renameSync(`${file}.moved`, file);
      await until(async () => secondPid() !== before);
      assert.deepEqual(await writes(), [200, 200, 200, 200]);
      assert.deepEqual(await reads(), [200, 200, 200, 200]);
    });

    test("when all workers end at once, others start with the files that are there", async () => {
      const before = [...workerPids(server.log).values()];
      for (const pid of before) process.kill(pid, "SIGKILL");
      await until(async () =>
        [...workerPids(server.log).values()].every((p) => !before.includes(p)),
      );
      assert.deepEqual(await writes(), [200, 200, 200, 200]);
    });
  });
}
