import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient, PROTOCOLS } from "../support/client/api-client.ts";
import { closeGrpc } from "../support/client/grpc.ts";
import { Http } from "../support/client/http.ts";
import {
  type AccessModel,
  expected,
  isOrdered,
  LIST_CAPABILITY,
  type ListFilter,
  OPERATOR,
  type SortKey,
} from "../support/oracle/access-model.ts";
import { checkWalk, fetchAll, type ListQuery } from "../support/oracle/pages.ts";
import { all, build, NAMES, type Plan, pick } from "../support/oracle/random-plan.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";

const KIND = "accountAssociations";
const KEYS: readonly SortKey[] = ["uid", "name", "created_at", "updated_at"];
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A tree of forty groups, three in four of them with an association, and five who see parts of it. */
const PLAN: Plan = {
  groups: numbers(39).map((at) => ({ parent: at >> 1, name: pick(NAMES, at) })),
  roles: [{ at: 0, name: "a", capabilities: [LIST_CAPABILITY[KIND]] }],
  identities: numbers(5).map((at) => ({ at: 0, name: pick(NAMES, at) })),
  // By the numbers that a plan has for places: an odd 2n+1 is the n-th group.
  bindings: [
    { identity: 0, at: 2 * 0 + 1, role: 1 },
    { identity: 1, at: 2 * 1 + 1, role: 1 },
    { identity: 2, at: 2 * 4 + 1, role: 1 },
    { identity: 2, at: 2 * 2 + 1, role: 1 },
    { identity: 3, at: 2 * 30 + 1, role: 1 },
  ],
  associations: numbers(40)
    .filter((at) => at % 4 !== 3)
    .map((at) => ({ at, name: pick(NAMES, at * 7) })),
  touched: [],
};

for (const store of STORES) {
  describe(`lists of resources with the uid of their group, on ${store}`, () => {
    let server: TestServer;
    let direct: DirectStore;
    let world: AccessModel;
    before(async () => {
      server = await TestServer.start({ store });
      direct = await DirectStore.open(server);
      ({ world } = await build(new Http(server.url, await direct.token()), PLAN));
    });
    after(async () => {
      closeGrpc();
      await direct.close();
      assert.equal(await server.stop(), 0);
    });

    /** Every filter by every group, alone and with another one. */
    const filters = (): ListFilter[] => {
      const uids = world.groups.map((group) => group.uid);
      const each = uids.flatMap((uid, at): ListFilter[] => [
        { descendants_of: uid },
        { children_of: uid },
        { ancestors_of: uid },
        { descendants_of: uid, name: pick(NAMES, at) },
        { descendants_of: uid, ids: [uid, pick(uids, at * 3 + 1), pick(uids, at * 5 + 2)] },
        { ancestors_of: uid, descendants_of: pick(uids, at >> 2) },
        { children_of: uid, descendants_of: pick(uids, at >> 1) },
      ]);
      return [{}, { in_root: true }, { name: "a" }, { ids: uids }, ...each];
    };

    const callers = () => [OPERATOR, ...world.identities.map((identity) => identity.uid)];

    test("every caller gets exactly the visible rows, in order, in consistent pages", async () => {
      let shown = 0;
      for (const [number, caller] of callers().entries()) {
        const token = await (caller === OPERATOR ? direct.token() : direct.token(caller));
        await all(filters(), async (filter, at) => {
          const key = pick(KEYS, at + number);
          const query: ListQuery = { kind: KIND, filter, key, descending: at % 3 === 0 };
          const about = `${number} asks ${JSON.stringify(query)}`;
          const wanted = expected(world, caller, KIND, filter).map(({ uid }) => uid);
          const items = await fetchAll(new ApiClient({ url: server.url, token }), query, 200);
          const uids = items.map(({ uid }) => uid);
          assert.deepEqual(uids.toSorted(), wanted.sort(), about);
          assert.ok(isOrdered(items, key, query.descending), about);
          const protocol = pick(PROTOCOLS, at);
          const walk = pick(["cursor", "skip", "both"] as const, at);
          await checkWalk(
            new ApiClient({ url: server.url, token, protocol }),
            query,
            uids,
            walk,
            [3, 1, 5],
            [0, 2],
          );
          shown += uids.length;
        });
      }
      assert.ok(shown > 1_000, `${shown} associations were shown at all`);
    });
  });
}
