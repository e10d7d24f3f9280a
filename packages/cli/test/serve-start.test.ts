import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { newDatabase } from "../../server/test/support/server/postgres.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { Home } from "./support/auth-home.ts";

const home = new Home();
test.after(() => home.remove());

/** A database that rejects writes to a table, as on a full disk. */
async function databaseWithout(table: string): Promise<string> {
  const url = await newDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    CREATE FUNCTION full_disk() RETURNS trigger AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
    END $$ LANGUAGE plpgsql;
    CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION full_disk();`);
  await client.end();
  return url;
}

/** The addresses and the setup code are written once the port is bound. */
for (const table of ["installation", "tickets"]) {
  test(`a start that cannot write ${table} closes its port and exits with one line`, async () => {
    const port = await freePort();
    const flags = ["--listen", `127.0.0.1:${port}`, "--database-url", await databaseWithout(table)];
    const { code, stdout, stderr } = await home.run(["serve", ...flags]);
    assert.equal(code, 1, stderr);
    assert.equal(stdout, "");
    const errors = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
    assert.deepEqual(errors, [
      "wharf: Unavailable: the store cannot be written: its disk is full (could not extend file: No space left on device)",
    ]);
  });
}

test("a signal ends a start that waits for its database", async (t) => {
  // Nobody reads the connection, so it does not end with its client.
  const silent = createServer((socket) => t.after(() => socket.destroy())).listen(0, "127.0.0.1");
  t.after(() => silent.close());
  await once(silent, "listening");
  const url = `postgres://wharf@127.0.0.1:${portOf(silent)}/wharf`;
  const listen = `127.0.0.1:${await freePort()}`;
  const server = home.startProcess(["serve", "--listen", listen, "--database-url", url]);
  await once(silent, "connection");
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.ended, { code: 0, stdout: "", stderr: "" });
});

test("a server goes on when the readers of its output are gone", async (t) => {
  const port = await freePort();
  const data = scratchFolder("wharf-output-");
  const server = home.startProcess(["serve", "--listen", `127.0.0.1:${port}`, "--data", data]);
  t.after(() => server.child.kill("SIGKILL"));
  server.child.stdout.destroy();
  server.child.stderr.destroy();
  for (let answers = 0; answers < 10; ) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.status === 200) answers++;
    assert.equal(server.child.exitCode, null);
    await sleep(10);
  }
  const dropped = async () =>
    /^wharf_log_lines_dropped_total (\d+)/m.exec(
      await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    )?.[1];
  while (Number(await dropped()) === 0) await sleep(10);
  server.child.kill("SIGINT");
  await once(server.child, "exit");
  assert.equal(server.child.exitCode, 0);
});

test("a server starts the processes of costly reads from its own files", async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const data = scratchFolder("wharf-readers-");
  const server = home.startProcess(["serve", "--listen", `127.0.0.1:${port}`, "--data", data]);
  t.after(() => server.child.kill("SIGKILL"));
  await server.says(/ready/);
  const token = await home.ok(["admin", "token", "--data", data, "--base-url", url]);
  const ask = async (path: string, name?: string) => {
    const response = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" },
      ...(name === undefined ? {} : { method: "POST", body: JSON.stringify({ name }) }),
    });
    assert.equal(response.status, 200, path);
    return response;
  };
  const created = async (parent: string, name: string): Promise<string> =>
    ((await (await ask(`/iam/v2beta1/groups${parent}`, name)).json()) as { uid: string }).uid;
  const folder = await created(`/${await created("", "acme")}`, "folder");
  await created(`/${folder}`, "team");
  // By its counts, the folder has more groups than are sorted on the event loop.
  const database = new DatabaseSync(join(data, "wharf.db"));
  database.exec("UPDATE counts SET children = 5000, descendants = 5000 WHERE kind = 'groups'");
  database.close();
  const path = `/iam/v2beta1/groups?uidp.descendantsOf=${folder}&orderBy=name`;
  const { groups } = (await (await ask(path)).json()) as { groups: { name: string }[] };
  assert.deepEqual(
    groups.map(({ name }) => name),
    ["team"],
  );
  const metrics = await (await ask("/metrics")).text();
  assert.match(metrics, /^wharf_store_costly_reads_total [1-9]/m);
  server.child.kill("SIGINT");
  await once(server.child, "exit");
  assert.equal(server.child.exitCode, 0);
});

function portOf(server: Server): number {
  return (server.address() as { port: number }).port;
}
