/** Tests the operation of a server: metrics elsewhere, few series, new certificates, keys that are replaced in time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rotateIfOlder } from "../src/app/key-rotation.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { freePort } from "./support/server/free-port.ts";
import { TestServer } from "./support/server/test-server.ts";

const DAY_MS = 24 * 3_600_000;

test("with --metrics-listen, metrics are there and nowhere else", async (t) => {
  const port = await freePort();
  const server = await TestServer.start({ flags: ["--metrics-listen", `127.0.0.1:${port}`] });
  t.after(() => server.stop());
  assert.equal((await fetch(`${server.url}/metrics`)).status, 404);
  const api = new Http(server.url, await server.token());
  for (const path of ["groups", "roles", "identities"])
    assert.equal((await api.get(`/iam/v2beta1/${path}`)).status, 200);
  assert.equal((await api.get("/iam/v2beta1/groups/unknown")).status, 400);
  const elsewhere = `http://127.0.0.1:${port}`;
  for (const path of ["/", "/healthz", "/iam/v2beta1/groups"])
    assert.equal((await fetch(elsewhere + path)).status, 404, path);
  const scraped = await fetch(`${elsewhere}/metrics`);
  assert.match(scraped.headers.get("content-type") ?? "", /^text\/plain/);
  const text = await scraped.text();
  assert.match(
    text,
    /^wharf_requests_total\{protocol="rest",method="wharf.iam.v2beta1.GroupsService\/ListGroups",code="0"\} 1$/m,
  );
  assert.match(text, /^wharf_requests_in_flight 0$/m);
  assert.match(text, /^wharf_connections \d+$/m);
  assert.match(text, /^wharf_store_writes_waiting 0$/m);
  // One histogram for a method, whatever the protocol and the code.
  const series = text.match(/^wharf_request_duration_seconds\S*ListGroups\S*/gm) ?? [];
  assert.equal(series.length, 10);
});

test("a port that is taken fails the start, and says which", async (t) => {
  const server = await TestServer.start();
  t.after(() => server.stop());
  const taken = new URL(server.url).host;
  await assert.rejects(
    TestServer.start({ flags: ["--metrics-listen", taken] }),
    new RegExp(`${taken}.*the address is in use`),
  );
});

for (const store of ["sqlite", "postgres"] as const) {
  test(`signing keys are rotated by age, once for all replicas, on ${store}`, async (t) => {
    const server = await TestServer.start({ store, flags: ["--key-rotation-days", "90"] });
    t.after(() => server.stop());
    const direct = await DirectStore.open(server);
    t.after(() => direct.close());
    const { store: opened, secrets } = direct;
    const kids = async () => {
      const { keys } = (await new Http(server.url, "").get("/.well-known/jwks.json")).body;
      return keys.map(({ kid }: { kid: string }) => kid);
    };
    const [first] = await kids();
    const token = await server.token();
    const later = Date.now() + 90 * DAY_MS;
    assert.equal(await rotateIfOlder(opened, secrets, 90 * DAY_MS), undefined, "not yet");
    const rotations = await Promise.all(
      [1, 2, 3].map(() => rotateIfOlder(opened, secrets, 90 * DAY_MS, later)),
    );
    assert.equal(rotations.filter((kid) => kid !== undefined).length, 1);
    assert.deepEqual(new Set(await kids()), new Set([first, ...rotations.filter(Boolean)]));
    const { status } = await new Http(server.url, token).get("/iam/v2beta1/groups");
    assert.equal(status, 200, "tokens of the key before are still accepted");
    const audited = await rawRows(server, "SELECT detail FROM audit WHERE method = 'keys rotate'");
    assert.equal(audited.length, 1);
  });
}
