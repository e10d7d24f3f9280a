import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { builtinRole, capabilityName } from "@wharf/contract";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { type Member, onEachStore, roleNamed, type World } from "./support/world/world.ts";

const OWNER = roleNamed("owner");
const VIEWER = roleNamed("viewer");
const OWNER_CAPABILITIES = (builtinRole("owner")?.capabilities ?? []).map(capabilityName);

/** An organization with one owner, and a member who may do everything without being one. */
interface Owned {
  readonly org: string;
  readonly owner: Member;
  readonly binding: string;
  readonly admin: Member;
}

async function owned(world: World): Promise<Owned> {
  const org = await world.organization();
  const owner = await world.member();
  const binding = await world.bind(org, owner.uid, "owner");
  return { org, owner, binding, admin: await world.member({ [org]: OWNER_CAPABILITIES }) };
}

async function keepsOwner(work: Promise<unknown>, org?: string): Promise<void> {
  const { code, violations, details } = await rejected(work);
  assert.deepEqual([code, violations], [9, ["LAST_OWNER"]]);
  if (org !== undefined) assert.ok(JSON.stringify(details).includes(`"subject":"${org}"`));
}

function staticKeys() {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "k", alg: "ES256" }];
  const issuer = "https://keys.example.com";
  return { staticKeys: { issuer, subject: "s", issuerKeys: JSON.stringify({ keys }) } };
}

onEachStore("the last owner of an organization", (world) => {
  world.rule("cannot be removed, by anyone but the operator", async (api) => {
    const { org, owner, binding, admin } = await owned(world);
    for (const { token } of [owner, admin]) {
      await keepsOwner(api.as(token).roleBindings.delete(binding), org);
      await keepsOwner(api.as(token).trying().roleBindings.delete(binding), org);
      await keepsOwner(api.as(token).v1.roleBindings.delete(binding), org);
    }
    assert.equal((await api.as(owner.token).groups.get(org)).uid, org, "nothing has changed");
    await api.roleBindings.delete(binding);
    assert.equal((await rejected(api.as(owner.token).groups.get(org))).code, 7);
  });

  world.rule("cannot be demoted, by either version", async (api) => {
    const { org, owner, binding, admin } = await owned(world);
    for (const { token } of [owner, admin]) {
      const mine = api.as(token);
      await keepsOwner(mine.roleBindings.update(binding, { roleUid: VIEWER }), org);
      const v1 = { identity: owner.uid, role: VIEWER };
      await keepsOwner(mine.v1.roleBindings.update(binding, v1), org);
      await keepsOwner(mine.roleBindings.update(binding, { identityUid: ANONYMOUS_UID }), org);
    }
    const next = await world.member();
    await api.as(owner.token).roleBindings.update(binding, { identityUid: next.uid });
    assert.equal((await api.as(next.token).groups.get(org)).uid, org);
    await keepsOwner(api.as(next.token).roleBindings.delete(binding));
  });

  world.rule("can be removed once there is another, or a twin of the binding", async (api) => {
    const { org, owner, binding } = await owned(world);
    const twin = await world.bind(org, owner.uid, "owner");
    const mine = api.as(owner.token);
    await mine.roleBindings.delete(twin);
    await keepsOwner(mine.roleBindings.delete(binding), org);
    const other = await world.member();
    const second = await mine.roleBindings.create(org, { identityUid: other.uid, roleUid: OWNER });
    await mine.roleBindings.delete(binding);
    await keepsOwner(api.as(other.token).roleBindings.delete(second.uid), org);
  });

  world.rule("is not one who has it elsewhere, by another role, or for a while", async (api) => {
    const { org, owner, binding } = await owned(world);
    await world.member({ [await world.group(org)]: "owner" });
    await world.bind(org, ANONYMOUS_UID, "owner");
    const expiring = await api.identities.create(org, { name: "expiring", ...staticKeys() });
    await world.bind(org, expiring.uid, "owner");
    const service = { name: "service", servicePrincipal: "SERVICE_PRINCIPAL_INGESTER" };
    await world.bind(org, (await api.identities.create(org, service)).uid, "owner");
    await keepsOwner(api.as(owner.token).roleBindings.delete(binding), org);
  });

  world.rule("cannot be deleted as an identity of the organization", async (api) => {
    const org = await world.organization();
    const claimMatch = { issuer: "https://issuer.example.com", subject: world.name("subject") };
    const { uid } = await api.identities.create(org, { name: "own", claimMatch });
    await world.bind(org, uid, "owner");
    await world.bind(org, uid, "owner");
    const mine = api.as(await world.signer.token(uid));
    await keepsOwner(mine.identities.delete(uid), org);
    await keepsOwner(mine.identities.update(uid, staticKeys()), org);
    await keepsOwner(mine.v1.identities.delete(uid), org);
    const other = await world.member({ [org]: "owner" });
    await api.as(other.token).identities.delete(uid);
    assert.equal((await rejected(mine.groups.get(org))).code, 16);
  });

  world.rule("is no reason to keep the workload of another organization", async (api) => {
    const [home, org] = [await world.organization(), await world.organization()];
    const claimMatch = { issuer: "https://issuer.example.com", subject: world.name("subject") };
    const { uid } = await api.identities.create(home, { name: "foreign", claimMatch });
    await world.bind(org, uid, "owner");
    const keeper = await world.member({ [home]: "owner" });
    await api.as(keeper.token).identities.delete(uid);
  });

  world.rule("can still delete the empty organization", async (api) => {
    const maker = api.as((await world.member()).token);
    const { uid } = await maker.groups.create("", { name: "mine" });
    await maker.groups.delete(uid);
    assert.equal((await rejected(api.groups.get(uid))).code, 5);
  });

  test("stays when two owners leave, or remove each other, at the same moment", async () => {
    for (const crosswise of [false, true, false, true]) {
      const { org, owner, binding } = await owned(world);
      const other = await world.member();
      const second = await world.bind(org, other.uid, "owner");
      const bindings = crosswise ? [second, binding] : [binding, second];
      const done = await Promise.allSettled(
        [owner, other].map(({ token }, at) =>
          world
            .operator()
            .as(token)
            .roleBindings.delete(bindings[at] as string),
        ),
      );
      assert.equal(done.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal(await ownersLeft(world.operator(), org), 1);
    }
  });
});

async function ownersLeft(api: ApiClient, org: string): Promise<number> {
  const { totalCount } = await api.roleBindings.list({ uidp: { childrenOf: org }, role: OWNER });
  return Number(totalCount);
}
