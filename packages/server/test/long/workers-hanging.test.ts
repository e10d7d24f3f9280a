/** A worker that hangs (SIGSTOP) holds up neither the writes of the others nor new connections, and is replaced. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Http } from "../support/client/http.ts";
import { TestServer } from "../support/server/test-server.ts";
import { clientsOfWorkers, type WorkerClient, workerPids } from "../support/server/workers.ts";
import { until } from "../support/until.ts";

const GROUPS = "/iam/v2beta1/groups";
const PING = "/ping/v2beta1/ping";

describe("a worker of two that hangs", () => {
  let server: TestServer;
  let one: WorkerClient;
  let two: WorkerClient;
  before(async () => {
    server = await TestServer.start({ workers: 2 });
    [one, two] = (await clientsOfWorkers(server, 2)) as [WorkerClient, WorkerClient];
  });
  after(async () => {
    for (const client of [one, two]) client?.close();
    assert.equal(await server?.stop(), 0);
  });

  const pid = () => workerPids(server.log).get(1) as number;

  /** Stops the first worker while it has the turn to write. Returns its write: the status, if it is answered. */
  async function hang(name: string): Promise<{ readonly write: Promise<number | undefined> }> {
    const beside = await clientsOfWorkers(server, 2);
    const database = new DatabaseSync(join(server.data, "wharf.db"));
    database.exec("BEGIN IMMEDIATE");
    const write = one.post(GROUPS, { name }).then(
      ({ status }) => status,
      () => undefined,
    );
    // It waits for the lock now: later requests of the same worker are answered.
    for (let request = 0; request < 10; request++) await beside[0]?.get(PING);
    process.kill(pid(), "SIGSTOP");
    database.exec("ROLLBACK");
    database.close();
    for (const client of beside) client.close();
    return { write };
  }

  /** Writes through the other worker go on, the server is not ready, and every new connection is answered. */
  async function othersGoOn(name: string): Promise<void> {
    assert.equal((await two.post(GROUPS, { name })).status, 200);
    await until(async () => (await two.get("/readyz")).body.reason === "worker");
    await until(async () => server.log.includes("worker does not respond: it gets no connections"));
    for (let connection = 0; connection < 4; connection++)
      assert.equal((await new Http(server.url, "").get(PING)).status, 200);
  }

  test("the others go on, and it serves again if it goes on soon", async () => {
    const before = pid();
    const { write } = await hang("late");
    await othersGoOn("meanwhile");
    process.kill(before, "SIGCONT");
    assert.equal(await write, 200);
    await until(async () => server.log.includes("worker responds again"));
    await until(async () => (await two.get("/readyz")).status === 200);
    assert.equal(pid(), before);
    assert.equal((await one.post(GROUPS, { name: "afterwards" })).status, 200);
  });

  test("the others go on, and it is killed and replaced if it does not", async () => {
    const before = pid();
    const { write } = await hang("lost");
    await othersGoOn("beside");
    await until(async () => pid() !== before);
    assert.equal(await write, undefined);
    const killed = /"level":"error",.*"worker":1,.*worker does not respond: it is killed/;
    await until(async () => killed.test(server.log));
    await until(async () => (await two.get("/readyz")).status === 200);
    one.close();
    [one, two] = (await clientsOfWorkers(server, 2)) as [WorkerClient, WorkerClient];
    assert.equal((await one.post(GROUPS, { name: "replaced" })).status, 200);
  });
});
