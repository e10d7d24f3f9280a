/** A caller may lose a right between the admission of a write and its transaction: the transaction checks again. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import {
  Capability,
  CapabilitySet,
  CreateRoleBindingRequestSchema,
  DeleteRoleBindingRequestSchema,
  type RoleBinding,
  RoleBindingsService,
  UpdateRoleBindingRequestSchema,
} from "@wharf/contract";
import type { Caller } from "../src/auth/caller.ts";
import { Grants } from "../src/auth/grants.ts";
import { registerResources } from "../src/engine/handlers.ts";
import type { Handler } from "../src/rpc/call.ts";
import { HandlerRegistry } from "../src/rpc/handler-registry.ts";
import { callOf, DirectStore } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const { createRoleBinding, updateRoleBinding, deleteRoleBinding } = RoleBindingsService.method;

onEachStore("access confirmed within the transaction", (world) => {
  /** Another process on the same store, whose calls were admitted earlier. */
  let direct: DirectStore;
  let handlers: ReadonlyMap<DescMethod, Handler>;
  let org: string;
  before(async () => {
    direct = await DirectStore.open(world.server);
    const registry = new HandlerRegistry();
    registerResources(registry, direct.engine);
    handlers = registry.handlersOf([RoleBindingsService]);
    org = await world.organization();
  });
  after(() => direct.close());

  const admitted = async (uid: string): Promise<Caller> => {
    const version = await direct.store.accessVersion();
    const grants = await direct.engine.access.grantsOf(uid, direct.store.reader, "");
    assert.ok(grants);
    return { uid, grants, isOperator: false, version };
  };
  const execute = async (caller: Caller, method: DescMethod, request: Message) => {
    const handler = handlers.get(method);
    assert.ok(handler);
    return handler({ ...callOf(method), caller }, request);
  };
  const bindingsOf = async (identity: string) => {
    const uidp = { childrenOf: org };
    const { roleBindings } = await world.operator().roleBindings.list({ uidp });
    return roleBindings
      .filter((one: RoleBinding) => one.identity?.uid === identity)
      .map((one: RoleBinding) => one.role?.name);
  };

  test("a role is neither granted nor changed nor revoked by a caller who was just removed", async () => {
    const owner = (await world.member()).uid;
    const friend = (await world.member()).uid;
    const binding = await world.bind(org, owner, "owner");
    const viewer = await world.bind(org, friend, "viewer");
    const requests: readonly (readonly [DescMethod, Message])[] = [
      [
        createRoleBinding,
        create(CreateRoleBindingRequestSchema, {
          parent: org,
          roleBinding: { identityUid: friend, roleUid: roleNamed("owner") },
        }),
      ],
      [
        updateRoleBinding,
        create(UpdateRoleBindingRequestSchema, {
          roleBinding: { uid: viewer, roleUid: roleNamed("owner") },
        }),
      ],
      [deleteRoleBinding, create(DeleteRoleBindingRequestSchema, { uid: viewer })],
    ];
    const stale = await admitted(owner);
    await world.operator().roleBindings.delete(binding);
    for (const [method, request] of requests)
      await assert.rejects(execute(stale, method, request), { code: "PERMISSION_DENIED" });
    assert.deepEqual(await bindingsOf(friend), ["viewer"], "nothing changed");
    await world.bind(org, owner, "owner");
    const current = await admitted(owner);
    for (const [method, request] of requests) await execute(current, method, request);
    assert.deepEqual(await bindingsOf(friend), ["owner"], "with the right, all of them work");
  });

  test("a write stays within the boundary of its token", async () => {
    const owner = (await world.member({ [org]: "owner" })).uid;
    const friend = (await world.member()).uid;
    const viewer = await world.bind(org, friend, "viewer");
    const boundary = Grants.at([[org, CapabilitySet.of(Capability.CAP_IAM_GROUPS_LIST)]]);
    const caller = { ...(await admitted(owner)), boundary };
    // Something else changes access meanwhile, so that the grants are read again.
    await world.bind(org, (await world.member()).uid, "viewer");
    const request = create(DeleteRoleBindingRequestSchema, { uid: viewer });
    await assert.rejects(execute(caller, deleteRoleBinding, request), {
      code: "PERMISSION_DENIED",
    });
    assert.deepEqual(await bindingsOf(friend), ["viewer"]);
  });

  test("a write of a session that has ended is rejected", async () => {
    const owner = (await world.member({ [org]: "owner" })).uid;
    const friend = (await world.member()).uid;
    const viewer = await world.bind(org, friend, "viewer");
    const caller = { ...(await admitted(owner)), session: "ended" };
    await world.bind(org, (await world.member()).uid, "viewer");
    const request = create(DeleteRoleBindingRequestSchema, { uid: viewer });
    await assert.rejects(execute(caller, deleteRoleBinding, request), { code: "UNAUTHENTICATED" });
    assert.deepEqual(await bindingsOf(friend), ["viewer"]);
  });
});
