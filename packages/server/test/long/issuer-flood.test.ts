import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { JWTPayload } from "jose";
import { Http } from "../support/client/http.ts";
import { exchange } from "../support/client/tokens.ts";
import { StandInIssuer } from "../support/providers/issuer.ts";
import { TestServer } from "../support/server/test-server.ts";

/** With keys of this size, more than the cache of issuers' keys has room for. */
const ISSUERS = 500;
const KEY_SET_BYTES = 48 * 1024;
const CONCURRENCY = 14;

test("forged issuers of one organization do not evict the keys of others", async () => {
  const server = await TestServer.start({ flags: ["--log-level", "error"], ownProcess: true });
  const victim = await StandInIssuer.start();
  const forged = await StandInIssuer.start();
  const many = createServer((request, response) => {
    const [, at] = (request.url ?? "").split("/");
    const issuer = `${manyUrl()}/${at}`;
    const documents = { issuer, jwks_uri: `${issuer}/jwks` };
    const isDiscovery = request.url?.includes("well-known");
    const keys = { ...forged.jwks, padding: "x".repeat(KEY_SET_BYTES) };
    response.end(JSON.stringify(isDiscovery ? documents : keys));
  }).listen(0, "127.0.0.1");
  const manyUrl = () => `http://127.0.0.1:${(many.address() as AddressInfo).port}`;
  await once(many, "listening");
  try {
    const operator = new Http(server.url, await server.token());
    const identity = async (name: string, claimMatch: object): Promise<string> => {
      const org = (await operator.post("/iam/v2beta1/groups", { name })).body.uid;
      const path = `/iam/v2beta1/identities/${org}`;
      return (await operator.post(path, { name, claimMatch })).body.uid;
    };
    const ci = await identity("acme", { issuer: victim.url, subject: "ci" });
    const any = `${manyUrl().replaceAll(".", "\\.")}/.*`;
    const evil = await identity("evil", { issuerPattern: any, subject: "x" });
    const ask = async (from: StandInIssuer, uid: string, claims: JWTPayload) =>
      exchange(server.url, await from.sign(claims), { aud: server.url, identity: uid });
    const victimWorks = async () => (await ask(victim, ci, { sub: "ci" })).status === 200;
    assert.ok(await victimWorks());
    const asked = victim.asked.length;
    let next = 0;
    const flood = async () => {
      while (next < ISSUERS) {
        const iss = `${manyUrl()}/${next++}`;
        assert.equal((await ask(forged, evil, { sub: "x", iss })).status, 200);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, flood));
    assert.ok(await victimWorks());
    assert.equal(victim.asked.length, asked, "its keys are still known");
    await victim.stop();
    assert.ok(await victimWorks(), "also while it is down");
  } finally {
    many.closeAllConnections();
    many.close();
    await forged.stop();
    await server.stop();
  }
});
