import assert from "node:assert/strict";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const PODINFO = {
  repo: "oci://charts.example.com/podinfo",
  source: "https://git.example.com/podinfo",
};
const KYVERNO = { repo: "https://charts.example.com/kyverno", chart: "kyverno" };

onEachStore("deployments", (world) => {
  const repo = async () => {
    const org = await world.organization();
    return (await world.operator().repos.create(org, { name: "app" })).uid as string;
  };

  world.rule("a repo has one, under its uid", async (api) => {
    const uid = await repo();
    assert.equal((await rejected(api.deployments.get(uid))).code, 5);
    const made = await api.deployments.create(uid, { charts: [PODINFO, KYVERNO] });
    assert.equal(made.uid, uid);
    assert.deepEqual(made.charts, [PODINFO, KYVERNO], "what is not set stays so");
    assert.deepEqual(await api.deployments.get(uid), made);
    const again = await rejected(api.deployments.create(uid, { charts: [] }));
    assert.equal(again.code, 6);
    const updated = await api.deployments.update(uid, { charts: [KYVERNO] });
    assert.deepEqual(updated.charts, [KYVERNO]);
    const { deployments } = await api.deployments.list({
      uidp: { descendantsOf: uid.slice(0, 40) },
    });
    assert.deepEqual(deployments, [updated]);
    await api.deployments.delete(uid);
    assert.equal((await rejected(api.deployments.get(uid))).code, 5);
    assert.equal((await api.repos.get(uid)).uid, uid, "the repo stays");
  });

  world.rule("a deployment goes with its repo", async (api) => {
    const uid = await repo();
    await api.deployments.create(uid, { charts: [PODINFO] });
    await api.repos.delete(uid);
    assert.deepEqual(
      await rawRows(world.server, `SELECT uid FROM deployments WHERE uid = '${uid}'`),
      [],
    );
    await api.groups.delete(uid.slice(0, 40));
  });

  world.rule("invalid ones are rejected, and nothing changes", async (api) => {
    const uid = await repo();
    const org = uid.slice(0, 40);
    for (const [charts, field] of [
      [[{ repo: "" }], "charts[0].repo"],
      [[PODINFO, { repo: "oci://a b" }], "charts[1].repo"],
      [[{ ...PODINFO, source: "a\nb" }], "charts[0].source"],
      [[{ ...PODINFO, chart: " " }], "charts[0].chart"],
      [Array.from({ length: 101 }, () => PODINFO), "charts"],
    ] as const) {
      const error = await rejected(api.deployments.create(uid, { charts }));
      assert.deepEqual([error.code, Object.keys(error.fields)], [3, [field]]);
    }
    const missing = await rejected(
      api.deployments.create(`${org}/${"0".repeat(16)}`, { charts: [] }),
    );
    assert.deepEqual([missing.code, missing.missing], [5, `Repo ${org}/${"0".repeat(16)}`]);
    assert.equal((await rejected(api.deployments.create(org, { charts: [] }))).code, 5);
    assert.equal((await rejected(api.deployments.get(uid))).code, 5);
  });

  world.rule("owners write them, viewers read them, others learn nothing", async (api) => {
    const uid = await repo();
    const org = uid.slice(0, 40);
    const owner = api.as((await world.member({ [org]: "owner" })).token);
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    const stranger = api.as((await world.member()).token);
    await owner.deployments.create(uid, { charts: [PODINFO] });
    await owner.deployments.update(uid, { charts: [KYVERNO] });
    assert.deepEqual((await viewer.deployments.get(uid)).charts, [KYVERNO]);
    assert.deepEqual((await stranger.deployments.list()).deployments, []);
    for (const { code } of await allRejected([
      viewer.deployments.update(uid, { charts: [] }),
      viewer.deployments.create(uid, { charts: [] }),
      viewer.deployments.delete(uid),
      stranger.deployments.get(uid),
      stranger.deployments.get(`${org}/${"0".repeat(16)}`),
    ]))
      assert.equal(code, 7);
    assert.deepEqual((await owner.deployments.get(uid)).charts, [KYVERNO]);
  });

  world.rule("version 1 knows them by the id of the repo", async (api) => {
    const id = await repo();
    const { registry } = api.v1;
    const none = await rejected(registry.getDeployment({ repoId: id }));
    assert.deepEqual([none.code, none.missing], [5, `Deployment ${id}`]);
    assert.equal((await rejected(registry.updateDeployment({ repoId: id, charts: [] }))).code, 5);
    const made = await registry.createDeployment({ parentId: id, charts: [PODINFO, KYVERNO] });
    assert.deepEqual(made, { id, charts: [PODINFO, KYVERNO] });
    const twice = await rejected(registry.createDeployment({ parentId: id, charts: [] }));
    assert.equal(twice.code, 6);
    assert.deepEqual(await registry.getDeployment({ repoId: id }), made);
    assert.deepEqual(
      await registry.updateDeployment({ repoId: id, charts: [{ ...KYVERNO, source: "" }] }),
      { id, charts: [{ ...KYVERNO, source: "" }] },
    );
    assert.deepEqual(await registry.updateDeployment({ repoId: id, charts: [] }), {
      id,
      charts: [],
    });
    assert.deepEqual(await registry.getDeployment({ repoId: id }), { id, charts: [] });
    const invalid = await rejected(registry.updateDeployment({ repoId: id, charts: [{}] }));
    assert.deepEqual([invalid.code, Object.keys(invalid.fields)], [3, ["charts[0].repo"]]);
    const events = await rawRows<{ type: string; body_type: string }>(
      world.server,
      `SELECT type, body_type FROM events WHERE subject = '${id}' AND type LIKE '%deployment%' ORDER BY id`,
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ["created", "updated", "updated"].map((what) => `platform.registry.deployment.${what}.v1`),
    );
    assert.ok(events.every((event) => event.body_type === "wharf.registry.v1.Deployment"));
  });
});
