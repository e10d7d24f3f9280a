import assert from "node:assert/strict";
import { test } from "node:test";
import { AccessService } from "@wharf/contract";
import fc from "fast-check";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { ApiError } from "./support/client/api-error.ts";
import { FIXED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { type Member, onEachStore, type World } from "./support/world/world.ts";

/** Requests that need exactly one capability at the uid, and change nothing: there is nothing at it. */
const REQUESTS: Readonly<Record<string, (api: ApiClient, uid: string) => Promise<unknown>>> = {
  "groups.list": (api, uid) => api.groups.get(uid),
  "roles.list": (api, uid) => api.roles.get(uid),
  "role_bindings.list": (api, uid) => api.roleBindings.get(uid),
  "identity.list": (api, uid) => api.identities.get(uid),
  "identity_providers.delete": (api, uid) => api.identityProviders.delete(uid),
  "repo.list": (api, uid) => api.repos.get(uid),
};
const NAMES = Object.keys(REQUESTS);
const ENUM_NAMES: Readonly<Record<string, string>> = {
  "groups.list": "CAP_IAM_GROUPS_LIST",
  "roles.list": "CAP_IAM_ROLES_LIST",
  "role_bindings.list": "CAP_IAM_ROLE_BINDINGS_LIST",
  "identity.list": "CAP_IAM_IDENTITY_LIST",
  "identity_providers.delete": "CAP_IAM_IDENTITY_PROVIDERS_DELETE",
  "repo.list": "CAP_REPO_LIST",
};
const MEMBERS = 3;
const GROUPS = 4;

/** A change of access; everything is named by its number. */
const changes = fc.record({
  kind: fc.constantFrom("bind", "bind", "bind", "unbind", "role", "deleteIdentity", "deleteRole"),
  member: fc.nat(MEMBERS - 1),
  group: fc.nat(GROUPS - 1),
  some: fc.nat(9_999),
  capabilities: fc.subarray(NAMES, { minLength: 1 }),
});
type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

/** A tree with roles, role bindings and identities that change at random. */
class Changing {
  readonly world: World;
  readonly members: Member[] = [];
  readonly groups: string[] = [];
  readonly roles: string[] = [];
  readonly bindings: string[] = [];

  constructor(world: World) {
    this.world = world;
  }

  async prepare(): Promise<void> {
    const org = await this.world.organization();
    const folder = await this.world.group(org);
    this.groups.push(org, folder, await this.world.group(folder), await this.world.group(org));
    for (let at = 0; at < MEMBERS; at += 1) this.members.push(await this.world.member());
    this.roles.push(await this.world.role(org, NAMES.slice(0, 2)));
  }

  async apply({ kind, member, group, some, capabilities }: Change): Promise<void> {
    const api = this.world.operator();
    const { uid: identityUid } = this.members[member] as Member;
    const at = this.groups[group] as string;
    const roleAt = some % this.roles.length;
    const bindingAt = some % Math.max(this.bindings.length, 1);
    if (kind === "bind") {
      const bound = { identityUid, roleUid: this.roles[roleAt] };
      this.bindings.push((await api.roleBindings.create(at, bound)).uid);
    } else if (kind === "unbind" && this.bindings.length > 0) {
      await api.roleBindings.delete(this.bindings.splice(bindingAt, 1)[0] as string);
    } else if (kind === "role" && some % 2 === 0) {
      this.roles.push(await this.world.role(this.groups[0] as string, capabilities));
    } else if (kind === "role") {
      const enums = capabilities.map((name) => ENUM_NAMES[name]);
      await api.roles.update(this.roles[roleAt] as string, { capabilities: enums });
    } else if (kind === "deleteIdentity") {
      await api.identities.delete(identityUid);
      this.members[member] = await this.world.member();
    } else if (kind === "deleteRole" && this.roles.length > 1) {
      // Rejected while it is bound.
      const role = this.roles[roleAt] as string;
      const gone = await api.roles.delete(role).then(
        () => true,
        () => false,
      );
      if (gone) this.roles.splice(roleAt, 1);
    }
  }
}

/** Whether the server lets a request through its access check. */
async function isLetThrough(api: ApiClient, capability: string, uid: string): Promise<boolean> {
  try {
    await REQUESTS[capability]?.(api, uid);
    return true;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error.code !== 7;
  }
}

const isEffective = ({ obstacle }: Answer) => obstacle === "ACCESS_OBSTACLE_UNSPECIFIED";

onEachStore("access checks", (world) => {
  test("agree with requests, with their explanation and with lists", async () => {
    const property = fc.asyncProperty(
      fc.array(changes, { minLength: 4, maxLength: 10 }),
      async (steps) => {
        const tree = new Changing(world);
        await tree.prepare();
        for (const step of steps) {
          await tree.apply(step);
          const member = tree.members[step.member] as Member;
          const group = tree.groups[step.some % GROUPS] as string;
          const name = NAMES[step.some % NAMES.length] as string;
          const api = world.operator().as(member.token);
          const resource = `${group}/${"0".repeat(16)}`;
          const capability = ENUM_NAMES[name];
          const real = await isLetThrough(api, name, resource);
          const own = await api.call(AccessService, "CheckAccess", { resource, capability });
          const other = await world
            .operator()
            .call(AccessService, "CheckAccess", { resource, capability, identity: member.uid });
          const view = "DECISION";
          const quick = await api.call(AccessService, "CheckAccess", {
            resource,
            capability,
            view,
          });
          const quickOther = await world.operator().call(AccessService, "CheckAccess", {
            ...{ resource, capability, view, identity: member.uid },
          });
          const checks = [
            { resource, capability },
            { resource, capability, identity: member.uid },
          ];
          const batch = await api.call(AccessService, "BatchCheckAccess", { checks });
          const listed = await world
            .operator()
            .call(AccessService, "ListAccess", { resource, capability });
          const isOfMember = ({ identity }: Answer) => identity.uid === member.uid;
          assert.deepEqual(
            {
              own: own.allowed,
              explained: own.grants.some(isEffective),
              other: other.allowed,
              quick: quick.allowed,
              quickOther: quickOther.allowed,
              batch: batch.results.every(({ allowed }: Answer) => allowed === own.allowed),
              otherExplained: other.grants.some(isEffective),
              listed: listed.grants.filter(isOfMember).some(isEffective),
            },
            {
              ...{ own: real, explained: real, other: real, otherExplained: real, listed: real },
              ...{ quick: real, quickOther: real, batch: true },
            },
          );
          assert.deepEqual(own.grants, other.grants);
          assert.equal(Number(listed.totalCount), listed.grants.length);
        }
      },
    );
    await fc.assert(property, { ...FIXED, numRuns: runs(3, 12) });
  });
});
