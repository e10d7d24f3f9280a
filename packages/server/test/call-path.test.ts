/** A call that need not wait is answered at once; one that waits for a database has the same replies and errors. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { GetGroupRequestSchema, GroupsService } from "@wharf/contract";
import { Authenticator } from "../src/auth/authenticator.ts";
import { TokenVerifier } from "../src/auth/token.ts";
import { getMethod } from "../src/engine/get.ts";
import { groups } from "../src/iam/groups.ts";
import type { Reply } from "../src/rpc/call.ts";
import { ServedMethods } from "../src/rpc/methods.ts";
import { callOf, DirectStore } from "./support/server/direct-store.ts";
import { type Member, onEachStore } from "./support/world/world.ts";

const { getGroup } = GroupsService.method;

onEachStore("call path", (world) => {
  let direct: DirectStore;
  let methods: ServedMethods;
  let org: string;
  let member: Member;
  let binding: string;
  let identified: string[];
  let audited: string[];

  before(async () => {
    direct = await DirectStore.open(world.server);
    const { store, engine } = direct;
    const { keys } = world.signer;
    const addresses = () => ({ baseUrl: world.server.url, authUrl: world.server.url });
    const authenticator = new Authenticator(
      store,
      keys,
      new TokenVerifier(keys, addresses),
      (uid, session) => engine.access.find(uid, undefined, session),
    );
    const handlers = new Map([[getGroup, getMethod(groups, getGroup, engine)]]);
    methods = new ServedMethods([GroupsService], handlers, authenticator, {
      auditDenial: async ({ caller }, { code }) => void audited.push(`${caller.uid} ${code}`),
    });
    org = await world.organization();
  });
  after(() => direct.close());

  beforeEach(async () => {
    member = await world.member();
    binding = await world.bind(org, member.uid, "viewer");
    identified = [];
    audited = [];
  });

  const callBy = (token: string, uid: string, more: object = {}) => {
    const [method] = [...methods].filter(({ desc }) => desc === getGroup);
    assert.ok(method);
    return methods.call(method, create(GetGroupRequestSchema, { uid }), {
      ...callOf(getGroup),
      authorization: `Bearer ${token}`,
      identify: ({ uid }) => identified.push(uid),
      ...more,
    });
  };
  const descriptionIn = async (reply: Reply | Promise<Reply>) =>
    JSON.parse((await reply).json()).description ?? "";
  /** Errors are never thrown. */
  const rejects = (reply: Reply | Promise<Reply>, expected: object) => {
    assert.ok(reply instanceof Promise);
    return assert.rejects(reply, expected);
  };

  test("a repeated Get is answered at once from memory, and never with something older", async () => {
    const uid = await world.group(org);
    assert.equal(await descriptionIn(callBy(member.token, uid)), "");
    for (const description of ["changed", "changed again"]) {
      // Another process writes.
      await world.operator().groups.update(uid, { description });
      const reply = callBy(member.token, uid);
      assert.equal(reply instanceof Promise, direct.store.isRemote);
      assert.equal(await descriptionIn(reply), description);
    }
    assert.deepEqual(identified, [member.uid, member.uid, member.uid]);
  });

  test("every error rejects, with a caller that is known and with one that is not", async () => {
    const uid = await world.group(org);
    const stranger = await world.member();
    for (const [token, group, code] of [
      [member.token, `${uid}/0123456789abcdef`, "NOT_FOUND"],
      [member.token, "malformed", "INVALID_ARGUMENT"],
      [stranger.token, uid, "PERMISSION_DENIED"],
      ["", uid, "UNAUTHENTICATED"],
      ["a.b.c", uid, "UNAUTHENTICATED"],
    ] as const) {
      await rejects(callBy(token, group), { code });
      await rejects(callBy(token, group), { code });
    }
    assert.deepEqual(audited, Array(2).fill(`${stranger.uid} PERMISSION_DENIED`));
    await rejects(callBy(member.token, uid, { dryRun: "perhaps" }), { code: "INVALID_ARGUMENT" });
  });

  test("a change of access counts for the next call, with one audit entry of the denial", async () => {
    const uid = await world.group(org);
    await callBy(member.token, uid);
    await world.operator().roleBindings.delete(binding);
    await rejects(callBy(member.token, uid), { code: "PERMISSION_DENIED" });
    assert.deepEqual(audited, [`${member.uid} PERMISSION_DENIED`]);
    await world.bind(org, member.uid, "viewer");
    await callBy(member.token, uid);
    assert.equal(audited.length, 1, "what failed for the former caller does not count");
    assert.deepEqual(identified, [member.uid, member.uid, member.uid]);
  });

  test("a call that nobody waits for is not handled", async () => {
    const uid = await world.group(org);
    await callBy(member.token, uid);
    const abandoned = new Error("the client is gone");
    await rejects(callBy(member.token, uid, { abandoned }), abandoned);
  });

  world.rule("a resource that was deleted is not found", async () => {
    const uid = await world.group(org);
    const api = world.operator();
    await api.groups.get(uid);
    await api.groups.delete(uid);
    await assert.rejects(api.groups.get(uid), { code: 5 });
  });
});
