import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type CodeName,
  type Group,
  GroupsService,
  type Identity,
  type ListGroupsResponse,
  NotFoundError,
  OrgKind,
  type RawToken,
  type Wharf,
  WharfError,
  type WhoAmI,
} from "@wharf/client";

/** Holds only for types that are the same. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => {};

/** Never called: what is in here has been proven once it compiles. */
export async function shapes(wharf: Wharf): Promise<void> {
  same<Awaited<ReturnType<Wharf["groups"]["get"]>>, Group>(true);
  same<Awaited<ReturnType<Wharf["groups"]["list"]>>, ListGroupsResponse>(true);
  same<Awaited<ReturnType<Wharf["sts"]["exchange"]>>, RawToken>(true);
  same<Awaited<ReturnType<Wharf["auth"]["validate"]>>, WhoAmI>(true);
  for await (const identity of wharf.identities.listAll()) same<typeof identity, Identity>(true);
  const called = await wharf.call(GroupsService.method.getGroup, { uid: "a" });
  same<typeof called, Group>(true);

  await wharf.groups.list();
  await wharf.ping.ping();
  await wharf.groups.update({ group: { uid: "a", kind: OrgKind.DEV }, updateMask: ["kind"] });
  await wharf.groups.update({ group: { uid: "a" }, updateMask: { paths: ["description"] } });
  await wharf.identities.lookup({ issuer: "https://issuer.example", subject: "a" });
  await wharf.identities.test({ uid: "a", token: "b" });
  await wharf.roleBindings.batchCreate({ parent: "a", requests: [{ roleBinding: {} }] });
  await wharf.identityProviders.generateScimToken({ identityProviderUid: "a" });
  await wharf.accountAssociations.check({ uid: "a" });
  await wharf.repos.getReadme({ uid: "a" });
  await wharf.sessions.end({ id: "a" });

  const thrown: unknown = new Error();
  if (thrown instanceof NotFoundError) same<typeof thrown.code, "NOT_FOUND">(true);
  if (thrown instanceof WharfError) same<typeof thrown.code, CodeName>(true);

  // @ts-expect-error: a get needs to know what.
  await wharf.groups.get();
  // @ts-expect-error: there is no such field.
  await wharf.groups.get({ id: "a" });
  // @ts-expect-error: a name is text.
  await wharf.groups.create({ group: { name: 5 } });
  // @ts-expect-error: there is no such field in what is updated.
  await wharf.groups.update({ group: { uid: "a", nme: "b" } });
  // @ts-expect-error: long names are the contract's, not the client's.
  await wharf.groups.getGroup({ uid: "a" });
  // @ts-expect-error: pings are not listed.
  wharf.ping.listAll();
  // @ts-expect-error: only one of the choices can be chosen.
  await wharf.identities.create({ identity: { relationship: { case: "nothing", value: {} } } });
}

test("the shapes of the client compile", () => assert.equal(typeof shapes, "function"));
