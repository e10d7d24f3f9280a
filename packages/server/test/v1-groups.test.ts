import assert from "node:assert/strict";
import { test } from "node:test";
import { Http } from "./support/client/http.ts";
import { storeGroups } from "./support/world/stored-groups.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("v1 groups", (world) => {
  const rest = () => new Http(world.server.url, world.operator().token);

  test("are v2 groups under v1 names", async () => {
    const org = await world.organization();
    const made = await rest().post(`/iam/v1/groups/${org}`, { name: "one", description: "of v1" });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const { id } = made.body;
    assert.deepEqual(made.body, {
      id,
      name: "one",
      description: "of v1",
      resourceLimits: {},
      verified: false,
      kind: "ORG_KIND_UNSPECIFIED",
      status: "ORG_STATUS_READY",
    });
    const other = (await rest().get(`/iam/v2beta1/groups/${id}`)).body;
    assert.equal(other.description, "of v1");

    const put = await rest().send("PUT", `/iam/v1/groups/${id}`, { name: "two" });
    assert.deepEqual([put.body.name, put.body.description], ["two", ""]);
    assert.deepEqual((await rest().get(`/iam/v1/groups?id=${id}`)).body, { items: [put.body] });

    assert.equal((await rest().delete(`/iam/v1/groups/${id}`)).status, 200);
    assert.deepEqual((await rest().get(`/iam/v1/groups?id=${id}`)).body, { items: [] });
    for (const filter of ["id=nonsense", "uidp.ids=nonsense"])
      assert.deepEqual((await rest().get(`/iam/v1/groups?${filter}`)).body, { items: [] });
  });

  test("are listed without pages", async () => {
    const org = await world.organization();
    const wanted = Array.from({ length: 450 }, (_, at) => `group ${String(at).padStart(3, "0")}`);
    await storeGroups(world.server, org, wanted);
    const { body } = await rest().get(`/iam/v1/groups?uidp.childrenOf=${org}`);
    assert.deepEqual(body.items.map((group: { name: string }) => group.name).sort(), wanted);
  });

  test("require a known kind", async () => {
    const id = await world.organization();
    const sent = { name: "verified", verified: true, kind: 99 };
    const { body } = await rest().send("PUT", `/iam/v1/groups/${id}`, sent);
    assert.deepEqual([body.code, body.details[1].fieldViolations[0].field], [3, "kind"]);
    const [group] = (await rest().get(`/iam/v1/groups?id=${id}`)).body.items;
    assert.deepEqual([group.verified, group.kind], [false, "ORG_KIND_UNSPECIFIED"]);
  });

  test("have v1 field names in errors", async () => {
    const { status, body } = await rest().send("PUT", "/iam/v1/groups/nonsense", { name: "x" });
    assert.equal(status, 400);
    assert.deepEqual([body.code, body.details[1].fieldViolations[0].field], [3, "id"]);
  });
});
