import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

for (const store of STORES) {
  describe(`an issuer that is down, on ${store}`, () => {
    test("is fetched once for concurrent requests, cached keys stay in use, and servers start", async () => {
      const issuer = await StandInIssuer.start();
      const other = await StandInIssuer.start();
      const server = await TestServer.start({ store });
      const operator = new Http(server.url, await server.token());
      const org = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
      const identityOf = async ({ url }: StandInIssuer) => {
        const claimMatch = { issuer: url, subject: "ci" };
        const path = `/iam/v2beta1/identities/${org}`;
        return (await operator.post(path, { name: "ci", claimMatch })).body.uid as string;
      };
      const [uid, otherUid] = [await identityOf(issuer), await identityOf(other)];
      const ask = async (of = issuer, identity = uid) =>
        exchange(server.url, await of.sign({ sub: "ci" }), { aud: server.url, identity });
      const together = await Promise.all(Array.from({ length: 20 }, () => ask()));
      assert.ok(together.every(({ status }) => status === 200));
      const documents = ["/.well-known/openid-configuration", "/jwks"];
      assert.deepEqual(issuer.asked, documents, "one fetch for all");

      await issuer.stop();
      assert.equal((await ask()).status, 200, "its keys are known");

      await server.terminate();
      await server.restart();
      assert.equal((await ask()).code, 14, "a new process knows no keys");
      assert.equal((await operator.get("/iam/v2beta1/groups")).body.totalCount, "1");
      assert.equal((await ask(other, otherUid)).status, 200, "others are not held up");
      await other.stop();
      await server.stop();
    });
  });
}
