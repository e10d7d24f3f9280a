import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { ApiClient } from "../support/client/api-client.ts";
import { rejected } from "../support/client/api-error.ts";
import { closeGrpc } from "../support/client/grpc.ts";
import { Http } from "../support/client/http.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { TestServer } from "../support/server/test-server.ts";

const PATH = "/iam/v2beta1";
const OWNER = builtinRole("owner")?.uid ?? "";
const CLAIM = { issuer: "https://issuer.example.com", subject: "someone" };
const STOLEN = { issuer: "https://thief.example.com", subject: "thief" };

/** The capabilities to change access, and no others. */
const ACCESS = [
  "groups.list",
  "groups.create",
  "groups.update",
  "groups.delete",
  "roles.list",
  "roles.create",
  "roles.update",
  "roles.delete",
  "role_bindings.list",
  "role_bindings.create",
  "role_bindings.update",
  "role_bindings.delete",
  "identity.list",
  "identity.create",
  "identity.update",
  "identity.delete",
];

describe("an access administrator of a folder", () => {
  let server: TestServer;
  let direct: DirectStore;
  let operator: Http;
  /** An organization, a folder in it and one beside that. */
  let root: string;
  let folder: string;
  let beside: string;
  let manager: string;
  let managerBinding: string;
  let rest: Http;

  before(async () => {
    server = await TestServer.start();
    direct = await DirectStore.open(server);
    operator = new Http(server.url, await direct.token());
    root = await made("groups", { name: "root" });
    folder = await made(`groups/${root}`, { name: "folder" });
    beside = await made(`groups/${root}`, { name: "beside" });
    manager = await made(`identities/${folder}`, { name: "manager", claimMatch: CLAIM });
    const role = await made(`roles/${root}`, { name: "manager", capabilities: ACCESS });
    managerBinding = await made(`roleBindings/${folder}`, { identityUid: manager, roleUid: role });
    rest = new Http(server.url, await direct.token(manager));
  });
  after(async () => {
    closeGrpc();
    await direct.close();
    assert.equal(await server.stop(), 0);
  });

  async function made(path: string, body: object, by = operator): Promise<string> {
    const answer = await by.post(`${PATH}/${path}`, body);
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.uid;
  }

  async function refused(method: string, path: string, body: object, status = 403): Promise<void> {
    const answer = await rest.send(method, `${PATH}/${path}`, body);
    assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)}`);
  }

  async function seen(path: string) {
    return (await operator.get(`${PATH}/${path}`)).body;
  }

  test("cannot create or widen a role beyond what they hold, in any spelling", async () => {
    const role = await made(`roles/${folder}`, { name: "r", capabilities: ["groups.list"] }, rest);
    for (const more of ["repo.delete", "CAP_REPO_DELETE", 1606, "1606"]) {
      const capabilities = ["groups.list", more];
      await refused("POST", `roles/${folder}`, { name: "more", capabilities });
      await refused("PATCH", `roles/${role}`, { capabilities });
      await refused("PATCH", `roles/${role}?updateMask=*`, { name: "r", capabilities });
      await refused("PATCH", `roles/${role}?update_mask=capabilities`, { capabilities });
    }
    await refused("POST", `roles/${folder}`, { name: "more", capabilities: [99_999] }, 400);
    await refused("POST", `roles/${folder}`, { name: "more", capabilities: ["UNKNOWN"] }, 400);
    await refused("POST", `roles/${folder}`, { name: "more", capabilities: ["internal"] });
    assert.deepEqual((await seen(`roles/${role}`)).capabilities, ["CAP_IAM_GROUPS_LIST"]);
    const over = { url: server.url, token: await direct.token(manager), protocol: "gRPC" } as const;
    const capabilities = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_DELETE"];
    const attempt = new ApiClient(over).roles.update(role, { capabilities });
    assert.equal((await rejected(attempt)).code, 7);
  });

  test("cannot change an inherited or a built-in role", async () => {
    const role = await made(`roles/${root}`, { name: "r", capabilities: ["groups.list"] });
    await refused("PATCH", `roles/${role}`, { capabilities: ["groups.list", "groups.create"] });
    await refused("DELETE", `roles/${role}`, {});
    await refused("PATCH", `roles/${OWNER}`, { capabilities: ["groups.list"] });
    await refused("DELETE", `roles/${OWNER}`, {});
  });

  test("cannot move a role or a binding by naming another uid in the body", async () => {
    const capabilities = ["groups.list"];
    const elsewhere = `${root}/${"0".repeat(16)}`;
    const role = await made(`roles/${folder}`, { name: "r", capabilities }, rest);
    const moved = await rest.patch(`${PATH}/roles/${role}`, { uid: elsewhere, name: "moved" });
    assert.equal(moved.body.uid, role);
    const body = { identityUid: manager, roleUid: role, uid: elsewhere, group: { uid: root } };
    const binding = await made(`roleBindings/${folder}`, body, rest);
    assert.ok(binding.startsWith(`${folder}/`));
    const rebound = await rest.patch(`${PATH}/roleBindings/${binding}`, body);
    assert.equal(rebound.body.uid, binding);
    assert.equal(rebound.body.group.uid, folder);
    assert.equal((await operator.get(`${PATH}/roles/${elsewhere}`)).status, 404);
  });

  test("cannot bind anyone to more than they hold, there or elsewhere", async () => {
    const capabilities = ["groups.list"];
    const role = await made(`roles/${folder}`, { name: "r", capabilities }, rest);
    const identityUid = manager;
    await refused("POST", `roleBindings/${folder}`, { identityUid, roleUid: OWNER });
    await refused("PATCH", `roleBindings/${managerBinding}`, { roleUid: OWNER });
    for (const place of [root, beside]) {
      await refused("POST", `roleBindings/${place}`, { identityUid, roleUid: role });
      await refused("POST", `roleBindings/${folder}?parent=${place}`, {
        identityUid,
        roleUid: OWNER,
      });
      const parent = encodeURIComponent(`${folder}/../${place}`);
      await refused("POST", `roleBindings/${parent}`, { identityUid, roleUid: role }, 400);
    }
    assert.equal((await seen(`roleBindings/${managerBinding}`)).role.name, "manager");
  });

  test("cannot bind a role of another group", async () => {
    const own = await made("groups", { name: "of my own" }, rest);
    const mine = await made(`roles/${own}`, { name: "mine", capabilities: ["groups.list"] }, rest);
    const sibling = await made(`roles/${beside}`, { name: "s", capabilities: ["groups.list"] });
    for (const roleUid of [mine, sibling]) {
      await refused("POST", `roleBindings/${folder}`, { identityUid: manager, roleUid }, 404);
      await refused("PATCH", `roleBindings/${managerBinding}`, { roleUid }, 404);
    }
  });

  test("cannot escalate by one binding of a batch, which is atomic", async () => {
    const role = await made(`roles/${folder}`, { name: "r", capabilities: ["groups.list"] }, rest);
    const before = await seen(`roleBindings?uidp.descendants_of=${root}&page_size=200`);
    const fine = { roleBinding: { identityUid: manager, roleUid: role } };
    const greedy = { roleBinding: { identityUid: manager, roleUid: OWNER } };
    const abroad = { ...fine, parent: root };
    const batch = (parent: string, requests: object[], status?: number) =>
      refused("POST", "roleBindings:batchCreate", { parent, requests }, status);
    await batch(folder, [fine, greedy]);
    await batch(folder, [fine, abroad], 400);
    await batch(root, [fine]);
    const late = [{ roleBinding: { identityUid: manager } }];
    await refused("POST", "roleBindings:batchCreate", {
      parent: folder,
      requests: late,
      roleUid: OWNER,
    });
    const after = await seen(`roleBindings?uidp.descendants_of=${root}&page_size=200`);
    assert.equal(after.totalCount, before.totalCount);
  });

  test("cannot assume an identity that holds more, by any path of the mask", async () => {
    const victim = await made(`identities/${folder}`, { name: "victim", claimMatch: CLAIM });
    await made(`roleBindings/${beside}`, { identityUid: victim, roleUid: OWNER });
    const uid = `identities/${victim}`;
    await refused("PATCH", uid, { claimMatch: STOLEN });
    await refused("PATCH", uid, { claimMatch: { subject: "thief" } });
    await refused("PATCH", uid, { claimMatch: { claims: { a: "b" } } });
    await refused("PATCH", uid, { claimMatch: { subjectPattern: ".*" } });
    await refused("PATCH", `${uid}?updateMask=claim_match`, { claimMatch: STOLEN });
    await refused("PATCH", `${uid}?updateMask=claim_match.subject`, { claimMatch: STOLEN });
    await refused("PATCH", `${uid}?updateMask=*`, { name: "victim", claimMatch: STOLEN });
    const staticKeys = { ...STOLEN, issuerKeys: '{"keys":[{"kty":"EC"}]}' };
    await refused("PATCH", uid, { staticKeys });
    assert.equal((await rest.patch(`${PATH}/${uid}`, { description: "renamed" })).status, 200);
    assert.deepEqual((await seen(uid)).claimMatch.subject, CLAIM.subject);
  });

  test("can assume an identity that holds no more than they do", async () => {
    const equal = await made(`identities/${folder}`, { name: "equal", claimMatch: CLAIM });
    const role = await made(`roles/${folder}`, { name: "r", capabilities: ["groups.list"] }, rest);
    await made(`roleBindings/${folder}`, { identityUid: equal, roleUid: role });
    const answer = await rest.patch(`${PATH}/identities/${equal}`, { claimMatch: STOLEN });
    assert.equal(answer.status, 200);
  });

  test("cannot escalate by deleting and creating again", async () => {
    const role = await made(`roles/${folder}`, { name: "r", capabilities: ["groups.list"] }, rest);
    const bound = { identityUid: manager, roleUid: role };
    const binding = await made(`roleBindings/${folder}`, bound, rest);
    assert.equal((await rest.delete(`${PATH}/roleBindings/${binding}`)).status, 200);
    assert.equal((await rest.delete(`${PATH}/roles/${role}`)).status, 200);
    await refused("POST", `roles/${folder}`, { name: "r", capabilities: ["repo.delete"] });
    await refused("POST", `roleBindings/${folder}`, bound, 404);
    const child = await made(`groups/${folder}`, { name: "child" }, rest);
    const guest = await made(`identities/${child}`, { name: "guest", claimMatch: CLAIM }, rest);
    assert.equal((await rest.delete(`${PATH}/identities/${guest}`)).status, 200);
    assert.equal((await rest.delete(`${PATH}/groups/${child}`)).status, 200);
    assert.notEqual(await made(`groups/${folder}`, { name: "child" }, rest), child);
  });

  test("cannot reach another group through a name", async () => {
    await refused("POST", "groups/beside", { name: "x" }, 404);
    await refused("POST", "groups/root", { name: "x" }, 404);
    // A name may look like a uid; what looks like a uid is one.
    await made(`groups/${folder}`, { name: root }, rest);
    await refused("POST", `groups/${root}`, { name: "x" });
    await made(`groups/${folder}`, { name: "twin" }, rest);
    await made(`groups/${folder}`, { name: "twin" }, rest);
    await refused("POST", "groups/twin", { name: "x" }, 400);
    const child = await made("groups/folder", { name: "by name" }, rest);
    assert.ok(child.startsWith(`${folder}/`));
  });

  test("loses access at the next request after their binding or identity is deleted", async () => {
    const guest = await made(`identities/${folder}`, { name: "guest", claimMatch: CLAIM });
    const role = await made(`roles/${folder}`, { name: "r", capabilities: ["groups.list"] });
    const binding = await made(`roleBindings/${folder}`, { identityUid: guest, roleUid: role });
    const own = new Http(server.url, await direct.token(guest));
    assert.equal((await own.get(`${PATH}/groups/${folder}`)).status, 200);
    await operator.patch(`${PATH}/roles/${role}`, { capabilities: ["roles.list"] });
    assert.equal((await own.get(`${PATH}/groups/${folder}`)).status, 403);
    await operator.patch(`${PATH}/roles/${role}`, { capabilities: ["groups.list"] });
    assert.equal((await own.get(`${PATH}/groups/${folder}`)).status, 200);
    await operator.delete(`${PATH}/roleBindings/${binding}`);
    assert.equal((await own.get(`${PATH}/groups/${folder}`)).status, 403);
    await operator.delete(`${PATH}/identities/${guest}`);
    assert.equal((await own.get(`${PATH}/groups/${folder}`)).status, 401);
  });
});
