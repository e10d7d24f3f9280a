import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { GroupSchema, newChildUid, OrgStatus, RoleBindingSchema } from "@wharf/contract";
import { groups } from "../../src/iam/groups.ts";
import { roleBindings } from "../../src/iam/role-bindings.ts";
import { Http } from "../support/client/http.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { type Member, onEachStore, roleNamed } from "../support/world/world.ts";

/** Groups at which the caller has a role binding, and groups below each. */
const SCOPES = { sqlite: 8_000, postgres: 1_000 };
const BELOW = 2;

/** Many times what a slice takes, for machines that do other things as well. */
const MAX_WAIT_MS = 1_500;

/** The result of an expensive request, and the durations of cheap ones during it, in milliseconds. */
interface Beside<T> {
  readonly value: T;
  readonly waits: readonly number[];
}

onEachStore(
  "a caller with thousands of role bindings",
  (world) => {
    let direct: DirectStore;
    let org: string;
    let member: Member;
    let owner: Member;
    const scopes = SCOPES[world.store];
    const rows = scopes * (BELOW + 1);
    before(async () => {
      direct = await DirectStore.open(world.server);
      org = await world.organization();
      member = await world.member();
      owner = await world.member({ [await world.organization()]: "owner" });
      const roleUid = roleNamed("viewer");
      for (let made = 0; made < scopes; made += 500) {
        await direct.store.write(async (tx) => {
          const insert = (uid: string, name: string) => {
            const group = create(GroupSchema, { uid, name, status: OrgStatus.READY });
            return groups.table.insert(tx, groups.toRow(group));
          };
          for (let at = made; at < made + 500; at++) {
            const scope = newChildUid(org);
            await insert(scope, `scope-${(at * 7_919) % 99_991}`);
            for (let child = 0; child < BELOW; child++) {
              await insert(newChildUid(scope), `child-${(at * 104_729 + child) % 99_991}`);
            }
            const uid = newChildUid(scope);
            const binding = create(RoleBindingSchema, { uid, identityUid: member.uid, roleUid });
            await roleBindings.table.insert(tx, roleBindings.toRow(binding));
          }
        });
      }
    });
    after(() => direct.close());

    const readOne = async () => {
      const others = new Http(world.server.url, owner.token);
      assert.equal((await others.get("/iam/v2beta1/groups?page_size=1")).status, 200);
    };
    /** Runs something expensive, and meanwhile one cheap request after another. */
    const beside = async <T>(expensive: Promise<T>, cheap = readOne): Promise<Beside<T>> => {
      let isDone = false;
      const value = expensive.finally(() => {
        isDone = true;
      });
      const waits: number[] = [];
      while (!isDone) {
        const begun = performance.now();
        await cheap();
        waits.push(performance.now() - begun);
      }
      return { value: await value, waits };
    };
    const list = (query: string) =>
      new Http(world.server.url, member.token).get(`/iam/v2beta1/groups?${query}`);

    test("does not delay others while it lists", async () => {
      const queries = [
        "order_by=name&page_size=200",
        `order_by=name&page_size=1&skip=${rows - 10}`,
        `order_by=name%20desc&page_size=1&skip=${rows - 10}`,
        `order_by=created_at&page_size=200&skip=${rows / 2}`,
      ];
      for (const query of queries) {
        const { value, waits } = await beside(list(query));
        assert.deepEqual([value.status, value.body.totalCount], [200, String(rows)]);
        const longest = Math.max(...waits);
        assert.ok(longest < MAX_WAIT_MS, `${query}: another waited for ${longest} ms`);
      }
      const many = Promise.all(Array.from({ length: 6 }, () => list(queries[0] as string)));
      const { value, waits } = await beside(many);
      for (const { status } of value) assert.equal(status, 200);
      assert.ok(Math.max(...waits) < MAX_WAIT_MS);
    });

    test("does not delay others when its bindings change", async () => {
      const api = world.operator();
      const changed = (await world.member()).uid;
      const get = () =>
        new Http(world.server.url, member.token).get("/iam/v2beta1/groups?page_size=1");
      assert.equal((await get()).status, 200);
      for (let round = 0; round < 20; round++) {
        const { uid } = await api.roleBindings.create(org, {
          identityUid: round % 2 === 0 ? changed : member.uid,
          roleUid: roleNamed("viewer"),
        });
        const { value, waits } = await beside(get());
        assert.equal(value.status, 200);
        assert.ok(Math.max(...waits) < MAX_WAIT_MS);
        await api.roleBindings.delete(uid);
      }
    });

    test("does not delay others while it is deleted", async () => {
      const deleted = world.operator().identities.delete(member.uid);
      const { waits } = await beside(deleted, async () => {
        await world.operator().groups.create(org, { name: "new" });
      });
      // One may come before it, and one waits for its last transaction.
      assert.ok(waits.length > 2, `${waits.length} others were answered`);
      assert.equal((await list("page_size=1")).status, 401);
    });
  },
  { ownProcess: true },
);
