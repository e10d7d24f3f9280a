import assert from "node:assert/strict";
import { before, test } from "node:test";
import { OrganizationSettingsService } from "@wharf/contract";
import { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { TestServer } from "./support/server/test-server.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const CLAIMS = { issuer: "https://issuer.example.com", subject: "s" };

onEachStore("siblings that must differ", (world) => {
  let org: string;
  let identityUid: string;
  before(async () => {
    org = await world.organization();
    await settings(world.operator(), org, true);
    identityUid = (await world.member()).uid;
  });

  const settings = (api: ApiClient, groupUid: string, uniqueSiblings: boolean) =>
    api.call(OrganizationSettingsService, "UpdateOrganizationSettings", {
      organizationSettings: { groupUid, uniqueSiblings },
      updateMask: ["unique_siblings"],
    });
  const bound = (role: string, identity = identityUid) => ({
    identityUid: identity,
    roleUid: roleNamed(role),
  });

  world.rule("are a setting of an organization, off by default", async (api) => {
    const free = await world.organization();
    const get = (groupUid: string) =>
      api.call(OrganizationSettingsService, "GetOrganizationSettings", { groupUid });
    assert.deepEqual(await get(free), { groupUid: free, uniqueSiblings: false });
    const twins = async () => {
      await api.groups.create(free, { name: "twin" });
      await api.identities.create(free, { name: "twin", claimMatch: CLAIMS });
      await api.roleBindings.create(free, bound("viewer"));
    };
    await twins();
    await twins();
    const changed = await settings(api, free, true);
    assert.deepEqual(changed, { groupUid: free, uniqueSiblings: true });
    assert.deepEqual(await get(free), changed);
    assert.equal((await rejected(twins())).code, 6);
    await settings(api, free, false);
    await twins();
  });

  world.rule("rejects twins of folders, identities and role bindings", async (api) => {
    const parent = await world.group(org);
    const folder = await api.groups.create(parent, { name: "a" });
    const identity = await api.identities.create(parent, { name: "a", claimMatch: CLAIMS });
    const binding = await api.roleBindings.create(parent, bound("viewer"));
    const other = {
      folder: await api.groups.create(parent, { name: "b" }),
      identity: await api.identities.create(parent, { name: "b", claimMatch: CLAIMS }),
      binding: await api.roleBindings.create(parent, bound("editor")),
    };
    const errors = await allRejected([
      api.groups.create(parent, { name: "a" }),
      api.groups.update(other.folder.uid, { name: "a" }),
      api.identities.create(parent, { name: "a", claimMatch: CLAIMS }),
      api.identities.update(other.identity.uid, { name: "a" }),
      api.roleBindings.create(parent, bound("viewer")),
      api.roleBindings.update(other.binding.uid, { roleUid: roleNamed("viewer") }),
      api.v1.roleBindings.create(parent, { identity: identityUid, role: roleNamed("viewer") }),
    ]);
    assert.deepEqual(
      errors.map(({ code, missing }) => [code, missing]),
      [
        [6, "Group a"],
        [6, "Group a"],
        [6, "Identity a"],
        [6, "Identity a"],
        [6, `RoleBinding ${binding.uid}`],
        [6, `RoleBinding ${binding.uid}`],
        [6, `RoleBinding ${binding.uid}`],
      ],
    );
    // Elsewhere, and changed without a new name, they are no twins.
    await api.groups.create(folder.uid, { name: "a" });
    await api.identities.update(identity.uid, { name: "a", description: "changed" });
    await api.roleBindings.update(binding.uid, { roleUid: roleNamed("viewer") });
    await api.roleBindings.delete(binding.uid);
    await api.roleBindings.create(parent, bound("viewer"));
  });

  world.rule("takes groups.update of an organization", async (api) => {
    const folder = await world.group(org);
    const notRoot = await rejected(settings(api, folder, true));
    assert.deepEqual([notRoot.code, Object.keys(notRoot.fields)], [3, ["groupUid"]]);
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    assert.equal((await rejected(settings(viewer, org, false))).code, 7);
    const nobody = "0".repeat(40);
    assert.equal((await rejected(settings(api, nobody, true))).code, 5);
  });

  test("of concurrent requests, one wins, on several replicas, too", async () => {
    const { server } = world;
    const clients = [world.operator()];
    const replica =
      world.store === "postgres" ? await TestServer.start({ sameStoreAs: server }) : undefined;
    if (replica !== undefined) {
      // Tokens are for the address of the first.
      clients.push(new ApiClient({ url: replica.url, token: await replica.token() }));
    }
    try {
      for (let round = 0; round < 3; round += 1) {
        const parent = await world.group(org);
        const all = Array.from({ length: 6 }, (_, at) => clients[at % clients.length] as ApiClient);
        const requests: readonly ((api: ApiClient) => Promise<unknown>)[] = [
          (api) => api.groups.create(parent, { name: "one" }),
          (api) => api.identities.create(parent, { name: "one", claimMatch: CLAIMS }),
          (api) => api.roleBindings.create(parent, bound("viewer")),
        ];
        for (const send of requests) {
          const outcomes = await Promise.allSettled(all.map(send));
          const codes = outcomes.map((one) => (one.status === "fulfilled" ? 0 : one.reason.code));
          assert.deepEqual(codes.sort(), [0, 6, 6, 6, 6, 6]);
        }
      }
    } finally {
      await replica?.stop();
    }
  });
});
