import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient } from "./support/client/api-client.ts";
import { closeGrpc } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

for (const store of STORES) {
  describe(`a new server on ${store}`, () => {
    let server: TestServer;
    let token: string;
    before(async () => {
      server = await TestServer.start({ store, ownProcess: true });
      token = await server.token();
    });
    after(async () => {
      closeGrpc();
      assert.equal(await server.stop(), 0);
    });

    test("creates a group over REST and reads it over gRPC", async () => {
      const { status, body } = await new Http(server.url, token).post("/iam/v2beta1/groups", {
        name: "acme",
      });
      assert.equal(status, 200);
      const api = new ApiClient({ url: server.url, token, protocol: "gRPC" });
      const read = await api.groups.get(body.uid);
      assert.equal(read.name, "acme");
    });
  });
}
