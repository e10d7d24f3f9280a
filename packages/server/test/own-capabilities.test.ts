import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Auth, builtinRole, Capability, capabilityName, isOwnCapability } from "@wharf/contract";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { Http } from "./support/client/http.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const OWNER = roleNamed("owner");
const OWN = "CAP_AUDIT_LIST";
const OWN_NAME = "audit.list";

onEachStore("capabilities that the public contract does not have", (world) => {
  let org: string;
  let rest: ApiClient;
  let own: ApiClient;
  let known: ApiClient;
  before(async () => {
    org = await world.organization();
    const { token } = await world.member({ [org]: "owner" });
    rest = world.operator().as(token);
    own = world.operator("gRPC").as(token).over({ naming: "own" });
    known = own.over({ naming: "public" });
  });

  /** The capabilities that a client finds in every response that has some. */
  const seenBy = async (api: ApiClient, role: Answer) => {
    const invite = await api.groupInvites.create(org, { roleUid: OWNER, ttl: "3600s" });
    const { capabilities: held } = await api.call(Auth, "Validate", {});
    const listed = await api.roles.list({ name: "owner" });
    const v1 = await api.v1.roles.list({ name: "owner" });
    return {
      get: (await api.roles.get(OWNER)).capabilities,
      list: listed.roles[0].capabilities,
      own: (await api.roles.get(role.uid)).capabilities,
      invite: invite.role?.capabilities ?? [],
      v1: v1.items[0].capabilities,
      held: held[0].role.capabilities,
    };
  };

  test("are left out under its service names, and only there", async () => {
    const capabilities = ["CAP_IAM_GROUPS_LIST", OWN];
    const role = await rest.roles.create(org, { name: world.name("role"), capabilities });
    for (const api of [rest, own]) {
      for (const [where, seen] of Object.entries(await seenBy(api, role))) {
        if (seen.length === 0) continue;
        assert.ok(seen.includes(OWN) || seen.includes(OWN_NAME), `${api.protocol} ${where}`);
      }
    }
    const all = (builtinRole("owner")?.capabilities ?? []).filter((one) => !isOwnCapability(one));
    const seen = await seenBy(known, role);
    const numbers = all.map((one) => Capability[one]);
    assert.deepEqual([seen.get, seen.list], [numbers, numbers]);
    assert.deepEqual(seen.own, ["CAP_IAM_GROUPS_LIST"]);
    const names = all.map(capabilityName).sort();
    assert.deepEqual([seen.v1.toSorted(), seen.held.toSorted()], [names, names]);
    const made = await known.roles.create(org, { name: world.name("role"), capabilities });
    assert.deepEqual(made.capabilities, ["CAP_IAM_GROUPS_LIST"]);
    assert.deepEqual((await own.roles.get(made.uid)).capabilities, capabilities);
  });

  test("are left out of JSON that Connect clients get under a public name, too", async () => {
    const http = new Http(world.server.url, rest.token);
    const seen = async (service: string) => {
      const { status, body } = await http.post(`/${service}/GetRole`, { uid: OWNER });
      assert.equal(status, 200, JSON.stringify(body));
      return body.capabilities.includes(OWN);
    };
    assert.equal(await seen("wharf.iam.v2beta1.RolesService"), true);
    assert.equal(await seen("chainguard.platform.iam.v2beta1.RolesService"), false);
  });

  test("stay in a role that is updated under its public name", async () => {
    const name = world.name("role");
    const capabilities = ["CAP_IAM_GROUPS_LIST", OWN];
    const { uid } = await own.roles.create(org, { name, capabilities });
    const stored = async () => (await own.roles.get(uid)).capabilities;
    const updated = await known.roles.update(uid, { capabilities: ["CAP_REPO_LIST"] });
    assert.deepEqual(updated.capabilities, ["CAP_REPO_LIST"]);
    assert.deepEqual(await stored(), ["CAP_REPO_LIST", OWN]);
    await known.roles.update(uid, { description: "renamed" });
    assert.deepEqual(await stored(), ["CAP_REPO_LIST", OWN]);
    await known.v1.roles.update(uid, { name, capabilities: ["groups.list"] });
    assert.deepEqual(await stored(), ["CAP_IAM_GROUPS_LIST", OWN]);
    await own.roles.update(uid, { capabilities: ["CAP_IAM_GROUPS_LIST"] });
    assert.deepEqual(await stored(), ["CAP_IAM_GROUPS_LIST"]);
    await rest.roles.update(uid, { capabilities: [OWN] });
    await known.v1.roles.update(uid, { name: `${name}-2`, capabilities: [] });
    assert.deepEqual(await stored(), [OWN], "a role can have nothing else");
  });
});
