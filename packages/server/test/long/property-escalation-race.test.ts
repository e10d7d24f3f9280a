import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { groups } from "../../src/iam/groups.ts";
import { Http } from "../support/client/http.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { TestServer } from "../support/server/test-server.ts";

const PATH = "/iam/v2beta1";
const CLAIM = { issuer: "https://issuer.example.com", subject: "someone" };

describe("a caller whose access is revoked while a request waits", () => {
  let server: TestServer;
  let replica: TestServer;
  let direct: DirectStore;
  let operator: Http;
  before(async () => {
    server = await TestServer.start({ store: "postgres", ownProcess: true });
    const flags = ["--base-url", server.url];
    replica = await TestServer.start({ sameStoreAs: server, flags, ownProcess: true });
    direct = await DirectStore.open(server);
    operator = new Http(replica.url, await direct.token());
  });
  after(async () => {
    await direct.close();
    assert.equal(await replica.stop(), 0);
    assert.equal(await server.stop(), 0);
  });

  async function made(path: string, body: object): Promise<string> {
    const answer = await operator.post(`${PATH}/${path}`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.uid;
  }

  /** Keeps a group's row locked, as a slow transaction of another replica would, until let go. */
  async function hold(uid: string): Promise<() => Promise<void>> {
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = direct.store.write(async (tx) => {
      await groups.table.findForChange(tx, uid);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    return async () => {
      release.resolve();
      await holding;
    };
  }

  async function untilSomeoneWaits(): Promise<void> {
    // Other tests have databases of their own on the same server.
    const sql = `SELECT count(*) AS waiting FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    for (let turn = 0; turn < 3_000; turn++) {
      const row = await direct.store.reader.get<{ waiting: number }>(sql);
      if ((row?.waiting ?? 0) > 0) return;
      await sleep(20);
    }
    throw new Error("nobody waits");
  }

  test("grants nothing after the revocation is acknowledged", async () => {
    const root = await made("groups", { name: "root" });
    const leaver = await made(`identities/${root}`, { name: "leaver", claimMatch: CLAIM });
    const friend = await made(`identities/${root}`, { name: "friend", claimMatch: CLAIM });
    const capabilities = ["role_bindings.create", "groups.list"];
    const roleUid = await made(`roles/${root}`, { name: "r", capabilities });
    const binding = await made(`roleBindings/${root}`, { identityUid: leaver, roleUid });
    const rest = new Http(server.url, await direct.token(leaver));

    const letGo = await hold(root);
    const granting = rest.post(`${PATH}/roleBindings/${root}`, { identityUid: friend, roleUid });
    await untilSomeoneWaits();
    assert.equal((await operator.delete(`${PATH}/roleBindings/${binding}`)).status, 200);
    await letGo();

    assert.equal((await granting).status, 403);
    const left = await operator.get(`${PATH}/roleBindings?uidp.descendants_of=${root}`);
    assert.deepEqual(left.body.roleBindings, []);
  });
});
