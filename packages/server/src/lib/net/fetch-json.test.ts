import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { FetchError, fetchJson } from "./fetch-json.ts";

test("names of this machine are resolved for operators only: for others nothing is contacted", async (t) => {
  const server = createServer((_, response) => response.end('{"from": "this machine"}'));
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = `localhost:${(server.address() as AddressInfo).port}`;
  await assert.rejects(fetchJson(new URL(`https://${at}`), { anywhere: false }), FetchError);
  assert.equal(connections, 0);
  const found = await fetchJson(new URL(`http://${at}`), { anywhere: true });
  assert.deepEqual(found, { from: "this machine" });
});
