import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWharf, type Sent, type Wharf } from "@wharf/client";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { storeGroups } from "../../server/test/support/world/stored-groups.ts";
import { PROTOCOLS, transportOf } from "./support/recording-client.ts";

const GROUPS = 450;
const nameOf = (at: number) => `group-${String(at).padStart(3, "0")}`;

let server: TestServer;
let org: string;
before(async () => {
  server = await TestServer.start();
  const wharf = createWharf({ baseUrl: server.url, token: await server.token() });
  org = (await wharf.groups.create({ group: { name: "many" } })).uid;
  const names = Array.from({ length: GROUPS }, (_, at) => nameOf(at));
  await storeGroups(server, org, names);
});
after(() => server.stop());

for (const protocol of PROTOCOLS) {
  describe(`going through lists over ${protocol}`, () => {
    let wharf: Wharf;
    let sent: Sent[];
    before(async () => {
      const onRequest = (one: Sent) => sent.push(one);
      const transport = transportOf(protocol);
      wharf = createWharf({
        baseUrl: server.url,
        token: await server.token(),
        transport,
        onRequest,
      });
    });
    const inOrder = (request = {}, options = {}) => {
      sent = [];
      return wharf.groups.listAll(
        { uidp: { childrenOf: org }, orderBy: "name", ...request },
        options,
      );
    };

    test("every item comes once, in order", async () => {
      const names: string[] = [];
      for await (const group of inOrder()) names.push(group.name);
      assert.deepEqual(
        names,
        Array.from({ length: GROUPS }, (_, at) => nameOf(at)),
      );
      assert.equal(sent.length, 3);
    });

    test("pages are as large as asked, and begin where asked", async () => {
      const names: string[] = [];
      for await (const group of inOrder({ pageSize: 60, skip: 300 })) names.push(group.name);
      assert.equal(names[0], nameOf(300));
      assert.equal(names.length, 150);
      assert.equal(sent.length, 3);
    });

    test("nothing is requested before the first item, and no more than one page ahead", async () => {
      const groups = inOrder({ pageSize: 10 });
      assert.equal(sent.length, 0);
      for await (const group of groups) if (group.name === nameOf(12)) break;
      assert.ok(sent.length <= 3, String(sent.length));
    });

    test("giving up in the middle ends with the reason", async () => {
      const controller = new AbortController();
      const reason = new Error("enough");
      let seen = 0;
      const walk = async () => {
        for await (const _ of inOrder({ pageSize: 100 }, { signal: controller.signal })) {
          seen++;
          if (seen === 130) controller.abort(reason);
        }
      };
      await assert.rejects(walk(), (thrown) => thrown === reason);
      assert.equal(seen, 130);
    });

    test("a list of nothing is gone through at once", async () => {
      for await (const group of inOrder({ name: "nobody" })) assert.fail(group.name);
      assert.equal(sent.length, 1);
    });

    test("an error ends the loop", async () => {
      const walk = async () => {
        for await (const _ of inOrder({ orderBy: "color" })) assert.fail();
      };
      await assert.rejects(walk(), { name: "InvalidArgumentError" });
    });
  });
}
