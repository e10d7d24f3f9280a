import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BUILTIN_ROLES } from "@wharf/contract";
import { Http } from "./support/client/http.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("v1 roles", (world) => {
  let org: string;
  let other: string;
  let role: string;
  before(async () => {
    [org, other] = [await world.organization(), await world.organization()];
    role = await world.role(org, ["groups.list"]);
    await world.role(other, ["groups.list"]);
  });
  const found = async (filter: string): Promise<string[]> => {
    const rest = new Http(world.server.url, world.operator().token);
    const { status, body } = await rest.get(`/iam/v1/roles?${filter}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.items.map(({ id }: { id: string }) => id);
  };

  test("are filtered by parent, which built-in roles lack", async () => {
    assert.deepEqual(await found(`parent=${org}`), [role]);
    assert.deepEqual(await found(`parent=${org}&id=${role}`), [role]);
    const builtIn = BUILTIN_ROLES.map(({ uid }) => uid).sort();
    assert.deepEqual(await found("parent=/"), builtIn);
  });

  test("match only if all filters name one parent", async () => {
    assert.deepEqual(await found(`parent=${org}&uidp.childrenOf=${org}`), [role]);
    assert.deepEqual(await found(`parent=${org}&uidp.childrenOf=${other}`), []);
    assert.deepEqual(await found(`parent=/&uidp.childrenOf=${other}`), []);
    assert.deepEqual(await found(`parent=${other}&id=${role}`), []);
  });
});
