import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient } from "../support/client/api-client.ts";
import { ApiError } from "../support/client/api-error.ts";
import { closeGrpc } from "../support/client/grpc.ts";
import { listAll, uidsOf } from "../support/client/pagination.ts";
import { DirectStore, rawRows } from "../support/server/direct-store.ts";
import { checkRows } from "../support/server/store-consistency.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";
import { roleNamed } from "../support/world/world.ts";

/** Acknowledged writes, by uid. */
class Acknowledged {
  /** The description that was last acknowledged, and a requested one without an answer. */
  readonly groups = new Map<string, { description: string; asked?: string }>();
  readonly deleted = new Set<string>();
  /** Deletions without an answer: the resource may exist or not. */
  readonly doubtful = new Set<string>();
  /** Organizations that a member made, each in one step with its owner's binding. */
  readonly organizations = new Set<string>();
  readonly #awaited = new Map<number, () => void>();
  #total = 0;

  /** Counts one more acknowledgement. */
  add(): void {
    this.#total += 1;
    this.#awaited.get(this.#total)?.();
  }

  /** Resolves with the acknowledgement of this number. */
  reaches(total: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.set(total, resolve);
    });
  }
}

/**
 * Writes as fast as the service takes it, keeping account of every acknowledgement, until the
 * service is gone.
 *
 * @example await Promise.all(apis.map((api) => writeUntilGone(api, maker, org, acknowledged)));
 */
async function writeUntilGone(
  operator: ApiClient,
  maker: ApiClient,
  parent: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const { groups, deleted, doubtful, organizations } = acknowledged;
  try {
    for (let n = 0; ; n++) {
      const { uid } = await operator.groups.create(parent, { name: "made", description: "0" });
      const group: { description: string; asked?: string } = { description: "0" };
      groups.set(uid, group);
      acknowledged.add();
      if (n % 2 === 0) {
        group.asked = "1";
        await operator.groups.update(uid, { description: "1" });
        group.description = "1";
        acknowledged.add();
      }
      if (n % 3 === 0) {
        doubtful.add(uid);
        await operator.groups.delete(uid);
        doubtful.delete(uid);
        deleted.add(uid);
        groups.delete(uid);
        acknowledged.add();
      }
      if (n % 4 === 0) {
        organizations.add((await maker.groups.create("", { name: "made by a member" })).uid);
        acknowledged.add();
      }
    }
  } catch (error) {
    // A refusal is an answer: the service was there and said no, which none of this deserves.
    if (error instanceof ApiError) throw error;
  }
}

const WRITERS = 12;

/** Acknowledgements after which it is killed, each time. */
const CUTS = [150, 400];

for (const store of STORES) {
  describe(`a server on ${store} killed during concurrent writes`, () => {
    let server: TestServer;
    let operator: ApiClient;
    let maker: { uid: string; api: ApiClient };
    let parent: string;
    let pageToken: string;
    const acknowledged = new Acknowledged();

    before(async () => {
      server = await TestServer.start({ store, ownProcess: true });
      operator = new ApiClient({ url: server.url, token: await server.token() });
      parent = (await operator.groups.create("", { name: "parent" })).uid;
      const { uid } = await operator.identities.create(parent, {
        name: "maker",
        claimMatch: { issuer: "https://issuer.example.com", subject: "maker" },
      });
      maker = { uid, api: operator.as(await server.token(uid)) };
      for (const cut of CUTS) {
        const over = (at: number) =>
          new ApiClient({ protocol: at % 3 === 0 ? "gRPC" : "REST", url: server.url, token: "" });
        const reached = acknowledged.reaches(cut);
        const writing = Array.from({ length: WRITERS }, (_, at) =>
          writeUntilGone(
            over(at).as(operator.token),
            over(at).as(maker.api.token),
            parent,
            acknowledged,
          ),
        );
        await Promise.race([reached, Promise.all(writing)]);
        await server.kill();
        await Promise.all(writing);
        closeGrpc();
        await server.restart();
      }
      const first = await operator.groups.list({ uidp: { childrenOf: parent }, pageSize: 1 });
      pageToken = first.nextPageToken;
    });
    after(async () => {
      closeGrpc();
      await server.stop();
    });

    test("keeps every write that it has acknowledged", async () => {
      const request = { uidp: { childrenOf: parent }, pageSize: 200 };
      const { items } = await listAll(operator.groups, "groups", request);
      const found = new Map(items.map((group) => [group.uid, group.description]));
      assert.ok(acknowledged.groups.size > 100);
      for (const [uid, { description, asked }] of acknowledged.groups) {
        if (acknowledged.doubtful.has(uid) && !found.has(uid)) continue;
        assert.ok([description, asked].includes(found.get(uid)), `${uid}: ${found.get(uid)}`);
      }
      for (const uid of acknowledged.deleted) assert.ok(!found.has(uid), `${uid} is back`);
    });

    test("keeps at most the writes in flight besides", async () => {
      const request = { uidp: { childrenOf: parent }, pageSize: 200 };
      const { items } = await listAll(operator.groups, "groups", request);
      const unknown = uidsOf(items).filter((uid) => !acknowledged.groups.has(uid));
      assert.ok(unknown.length <= WRITERS * CUTS.length, `${unknown.length} came of themselves`);
    });

    test("has no partial writes: every organization has its owner", async () => {
      const list = { identity: maker.uid, pageSize: 200 };
      const { items: bindings } = await listAll(operator.roleBindings, "roleBindings", list);
      const owned = bindings.map((binding) => binding.group.uid);
      assert.equal(new Set(owned).size, owned.length);
      for (const binding of bindings) assert.equal(binding.roleUid, roleNamed("owner"));
      const { items } = await listAll(maker.api.groups, "groups", { pageSize: 200 });
      assert.deepEqual(uidsOf(items).sort(), owned.sort());
      for (const uid of acknowledged.organizations) assert.ok(owned.includes(uid), uid);
    });

    test("has exact totals", async () => {
      for (const uidp of [
        {},
        { childrenOf: parent },
        { descendantsOf: parent },
        { inRoot: true },
      ]) {
        const { items, totals } = await listAll(operator.groups, "groups", { uidp, pageSize: 200 });
        assert.deepEqual(new Set(totals), new Set([String(items.length)]), JSON.stringify(uidp));
      }
      const direct = await DirectStore.open(server);
      await checkRows(direct.store.reader).finally(() => direct.close());
    });

    test("accepts the tokens that it had issued", async () => {
      const page = await maker.api.groups.list({ pageSize: 1 });
      assert.equal(page.groups.length, 1);
      const request = { uidp: { childrenOf: parent }, pageSize: 1 };
      await server.kill();
      await server.restart();
      const first = await operator.groups.list(request);
      const next = await operator.groups.list({ ...request, pageToken });
      assert.notEqual(next.groups[0].uid, first.groups[0].uid);
    });

    test("has exactly one audit row and one event per change", async () => {
      assert.equal(await server.terminate(), 0);
      const uids = async (sql: string) =>
        (await rawRows<{ uid: string }>(server, sql)).map((row) => row.uid).sort();
      const audited = (method: string) =>
        uids(
          `SELECT resource AS uid FROM audit WHERE method = 'wharf.iam.v2beta1.GroupsService/${method}'`,
        );
      const subjectsOf = (what: string) =>
        uids(`SELECT subject AS uid FROM events WHERE type = 'iam.${what}.v1'`);
      const present = await uids("SELECT uid FROM groups");
      const bindings = await uids("SELECT uid FROM role_bindings");
      const removed = await subjectsOf("group.deleted");
      const made = [...present, ...removed].sort();
      assert.equal(new Set(made).size, made.length, "nothing that was deleted is there");
      assert.deepEqual(await subjectsOf("group.created"), made);
      assert.deepEqual(await subjectsOf("rolebindings.created"), bindings);
      assert.deepEqual(await audited("DeleteGroup"), removed);
      assert.deepEqual(await audited("UpdateGroup"), await subjectsOf("group.updated"));
      // An organization's owner binding is the work of the call that made the organization.
      assert.deepEqual(await audited("CreateGroup"), [...made, ...bindings].sort());
      for (const uid of acknowledged.deleted) assert.ok(removed.includes(uid));
    });
  });
}
