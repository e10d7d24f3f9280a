/** A GET whose row is in memory is answered without waiting, and otherwise as any other. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Capability, CapabilitySet, GetGroupRequestSchema, GroupsService } from "@wharf/contract";
import { Grants } from "../src/auth/grants.ts";
import { getMethod } from "../src/engine/get.ts";
import { groups } from "../src/iam/groups.ts";
import { type Call, immediateOf } from "../src/rpc/call.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("immediate replies", (world) => {
  let direct: DirectStore;
  let org: string;
  before(async () => {
    direct = await DirectStore.open(world.server);
    org = await world.organization();
  });
  after(() => direct.close());

  const callAt = (scope: string): Call => {
    const held = CapabilitySet.of(Capability.CAP_IAM_GROUPS_LIST);
    const caller = { uid: scope, grants: Grants.at([[scope, held]]), isOperator: false };
    return { caller, format: "json" } as unknown as Call;
  };

  test("are those of the handler, and never older than the call", async () => {
    const handler = getMethod(groups, GroupsService.method.getGroup, direct.engine);
    const now = immediateOf(handler);
    assert.ok(now);
    const uid = await world.group(org);
    const request = create(GetGroupRequestSchema, { uid });
    const api = world.operator();
    for (const description of ["", "changed", "changed again"]) {
      // Another process writes.
      if (description !== "") await api.groups.update(uid, { description });
      const reply = now(callAt(org), request);
      const usual = (await handler(callAt(org), request)).json();
      assert.equal(JSON.parse(usual).description ?? "", description);
      if (direct.store.isRemote) assert.equal(reply, undefined);
      else assert.equal(reply?.json(), usual);
    }
    await api.groups.delete(uid);
    assert.equal(now(callAt(org), request), undefined, "the error is the handler's");
  });

  world.rule("errors are those of calls that wait", async () => {
    const uid = await world.group(org);
    const api = world.operator();
    await api.groups.get(uid);
    await api.groups.delete(uid);
    await assert.rejects(api.groups.get(uid), { code: 5 });
  });
});
