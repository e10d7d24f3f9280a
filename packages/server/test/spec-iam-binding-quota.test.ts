import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FAIR_SHARE, MAX_PER_IDENTITY, MAX_PER_ORGANIZATION } from "../src/iam/binding-quota.ts";
import { grantsChanged } from "../src/store/tables/access/access-log.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { type Member, onEachStore, roleNamed } from "./support/world/world.ts";

const VIEWER = roleNamed("viewer");

/** An organization with an owner. */
interface Tenant {
  readonly org: string;
  readonly owner: Member;
}

onEachStore("the quota of role bindings", (world) => {
  let direct: DirectStore;
  before(async () => {
    direct = await DirectStore.open(world.server);
  });
  after(() => direct.close());

  const tenant = async (): Promise<Tenant> => {
    const org = await world.organization();
    return { org, owner: await world.member({ [org]: "owner" }) };
  };
  const bind = ({ org, owner }: Tenant, identityUid: string) => {
    const api = world.operator().as(owner.token);
    return api.roleBindings.create(org, { identityUid, roleUid: VIEWER });
  };
  /** Gives an identity so many role bindings at a group: copies of one, since only their number matters. */
  const fill = async (group: string, identity: string, count: number) => {
    const uid = await world.bind(group, identity, "viewer");
    const columns =
      "parent, root, name, created, updated, encoding, identity_uid, identity_kind, role_uid, data, json";
    await direct.store.write(async (tx) => {
      await tx.run(
        `INSERT INTO role_bindings (uid, ${columns})
         WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         SELECT uid || '-' || n, ${columns} FROM role_bindings CROSS JOIN numbers WHERE uid = ?`,
        count,
        uid,
      );
      grantsChanged(tx, identity, group);
    });
  };
  const exceeds = async (call: Promise<unknown>, text: RegExp) => {
    const { code, violations, message } = await rejected(call);
    assert.deepEqual([code, violations], [9, ["RESOURCE_LIMIT_EXCEEDED"]]);
    assert.match(message, text);
  };

  test("applies per organization and identity, for every method", async () => {
    const mine = await tenant();
    const { uid, token } = await world.member();
    await fill(mine.org, uid, MAX_PER_ORGANIZATION - 1);
    const { uid: last } = await bind(mine, uid);
    const full = new RegExp(
      `has ${MAX_PER_ORGANIZATION} role bindings in organization "${mine.org}"`,
    );
    await exceeds(bind(mine, uid), full);
    const api = world.operator().as(mine.owner.token);
    const [other, another] = [await world.member(), await world.member()];
    const requests = [
      { roleBinding: { identityUid: other.uid } },
      { roleBinding: { identityUid: uid } },
    ];
    await exceeds(
      api.roleBindings.batchCreateRoleBindings({ parent: mine.org, roleUid: VIEWER, requests }),
      full,
    );
    const spare = await bind(mine, another.uid);
    await exceeds(api.roleBindings.update(spare.uid, { identityUid: uid }), full);
    const folder = await world.group(mine.org);
    const given = { roleUid: VIEWER, ttl: "3600s" };
    const { code } = await api.groupInvites.create(folder, given);
    const answer = await new Http(world.server.url, token).post("/auth/v1/register", { code });
    assert.deepEqual([answer.status, answer.body.code], [400, 9]);
    const { totalCount } = await world.operator().roleBindings.list({ identity: other.uid });
    assert.equal(totalCount, "0", "a batch is made whole or not at all");
    // Existing bindings work, can be changed, and free quota when they are deleted.
    assert.equal((await world.operator().as(token).groups.get(mine.org)).uid, mine.org);
    await api.roleBindings.update(last, { roleUid: roleNamed("editor") });
    await api.roleBindings.delete(last);
    await bind(mine, uid);
    await exceeds(bind(mine, uid), full);
  });

  test("the operator is exempt", async () => {
    const { org } = await tenant();
    const { uid } = await world.member();
    await fill(org, uid, MAX_PER_ORGANIZATION);
    await world.bind(org, uid, "viewer");
  });

  test("no organization uses up the share of another", async () => {
    const { uid, token } = await world.member();
    const hostile = [await tenant(), await tenant(), await tenant()];
    for (const { org } of hostile.slice(0, 2)) await fill(org, uid, MAX_PER_IDENTITY / 2);
    const [, , third] = hostile as [Tenant, Tenant, Tenant];
    await fill(third.org, uid, FAIR_SHARE);
    await exceeds(bind(third, uid), new RegExp(`has ${MAX_PER_IDENTITY} role bindings in all`));
    const victim = await tenant();
    await fill(victim.org, uid, FAIR_SHARE - 1);
    await bind(victim, uid);
    // Bindings that the identity itself accepts do not depend on what others did to it.
    const api = world.operator().as(victim.owner.token);
    const folder = await world.group(victim.org);
    const { code } = await api.groupInvites.create(folder, { roleUid: VIEWER, ttl: "3600s" });
    const answer = await new Http(world.server.url, token).post("/auth/v1/register", { code });
    assert.equal(answer.status, 200);
    // Nor does making an organization.
    const { uid: own } = await world.operator().as(token).groups.create("", { name: "own" });
    assert.equal((await world.operator().as(token).groups.get(own)).uid, own);
  });
});
