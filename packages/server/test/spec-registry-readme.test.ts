import assert from "node:assert/strict";
import { before, test } from "node:test";
import { allRefused, refused } from "./support/api.ts";
import { rawRows } from "./support/raw-rows.ts";
import { Rest } from "./support/rest.ts";
import { onEachStore } from "./support/test-world.ts";

const TEXT = "# nginx\n\nServes *pages*.\n\n<details><summary>More</summary>x &amp; y</details>\n";

onEachStore("READMEs of repos", (world) => {
  let org: string;
  before(async () => {
    org = await world.organisation();
  });

  async function repo(): Promise<string> {
    return (await world.operator().repos.create(org, { name: world.name("repo") })).uid;
  }

  world.rule("are empty, then what was written, byte for byte", async (api) => {
    const uid = await repo();
    assert.deepEqual(await api.getReadme(uid), { uid, content: "" });
    assert.deepEqual(await api.updateReadme(uid, TEXT), { uid, content: TEXT });
    assert.deepEqual(await api.getReadme(uid), { uid, content: TEXT });
    assert.deepEqual(await api.updateReadme(uid, "x"), { uid, content: "x" });
    assert.deepEqual(await api.updateReadme(uid, ""), { uid, content: "" });
    assert.deepEqual(await api.getReadme(uid), { uid, content: "" });
  });

  world.rule("hold a megabyte at most", async (api) => {
    const uid = await repo();
    const most = 1024 * 1024;
    assert.equal((await api.updateReadme(uid, "x".repeat(most))).content.length, most);
    for (const content of ["x".repeat(most + 1), "ü".repeat(most / 2 + 1)]) {
      const { code, fields } = await refused(api.updateReadme(uid, content));
      assert.deepEqual([code, Object.keys(fields)], [3, ["content"]]);
    }
    assert.equal((await api.getReadme(uid)).content.length, most);
  });

  world.rule("hold no HTML that could do harm", async (api) => {
    const uid = await repo();
    await api.updateReadme(uid, TEXT);
    const { code, fields } = await refused(api.updateReadme(uid, `${TEXT}<script>`));
    assert.equal(code, 3);
    const description = 'content must hold safe HTML only: line 6 has "<script>"';
    assert.deepEqual(fields, { content: description });
    assert.equal((await api.getReadme(uid)).content, TEXT);
  });

  world.rule("belong to repos that exist", async (api) => {
    const nowhere = `${org}/0123456789abcdef`;
    const calls = [api.getReadme(nowhere), api.updateReadme(nowhere, "x")];
    for (const refusal of await allRefused(calls)) {
      assert.deepEqual([refusal.code, refusal.missing], [5, `Repo ${nowhere}`]);
    }
  });

  world.rule("leave an event when they change", async (api) => {
    const uid = await repo();
    await api.updateReadme(uid, "x");
    await api.updateReadme(uid, "x");
    const sql = `SELECT group_uid, body_type, body FROM events
      WHERE subject = '${uid}' AND type = 'platform.registry.repo.updated.v1'`;
    const events = await rawRows<Record<string, string>>(world.server, sql);
    assert.equal(events.length, 1);
    const [event] = events;
    const type = "wharf.registry.v2beta1.RepoReadme";
    assert.deepEqual([event?.group_uid, event?.body_type], [org, type]);
    assert.deepEqual(JSON.parse(String(event?.body)), { uid, content: "x" });
  });

  test("change as far as a mask says", async () => {
    const uid = await repo();
    const rest = new Rest(world.server.url, world.operator().token);
    const path = `/registry/v2beta1/repos/${uid}/readme`;
    assert.equal((await rest.patch(path, { content: "x" })).body.content, "x");
    assert.equal((await rest.patch(path, {})).body.content, "x");
    assert.equal((await rest.patch(`${path}?updateMask=uid`, { content: "y" })).body.content, "x");
    assert.equal((await rest.patch(`${path}?updateMask=*`, { content: "y" })).body.content, "y");
    assert.equal((await rest.patch(`${path}?updateMask=name`, { content: "z" })).status, 400);
  });

  world.rule("are written by those who hold both capabilities", async (api) => {
    const uid = await repo();
    await api.updateReadme(uid, "x");
    const updater = api.as((await world.member({ [org]: ["repo.update", "repo.list"] })).token);
    assert.equal((await updater.getReadme(uid)).content, "x");
    const refusal = await refused(updater.updateReadme(uid, "y"));
    assert.equal(refusal.code, 7);
    const both = ["repo.update", "repo.internal.admin", "internal"];
    const admin = api.as((await world.member({ [org]: both })).token);
    assert.equal((await admin.updateReadme(uid, "y")).content, "y");
    assert.equal((await refused(admin.getReadme(uid))).code, 7);
  });
});
