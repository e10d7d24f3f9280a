import assert from "node:assert/strict";
import { before, test } from "node:test";
import { writeReadme } from "../src/store/tables/registry/repo-readmes.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const TEXT = "# nginx\n\nServes *pages*.\n\n<details><summary>More</summary>x &amp; y</details>\n";

onEachStore("READMEs of repos", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  async function repo(): Promise<string> {
    return (await world.operator().repos.create(org, { name: world.name("repo") })).uid;
  }

  world.rule("are empty, then stored byte for byte", async (api) => {
    const uid = await repo();
    assert.deepEqual(await api.repos.getRepoReadme({ uid }), { uid, content: "" });
    assert.deepEqual(await api.repos.updateRepoReadme({ repoReadme: { uid, content: TEXT } }), {
      uid,
      content: TEXT,
    });
    assert.deepEqual(await api.repos.getRepoReadme({ uid }), { uid, content: TEXT });
    assert.deepEqual(await api.repos.updateRepoReadme({ repoReadme: { uid, content: "x" } }), {
      uid,
      content: "x",
    });
    assert.deepEqual(
      await api.repos.updateRepoReadme({
        repoReadme: { uid, content: "" },
        updateMask: ["content"],
      }),
      {
        uid,
        content: "",
      },
    );
    assert.deepEqual(await api.repos.getRepoReadme({ uid }), { uid, content: "" });
  });

  world.rule("are at most 1 MiB", async (api) => {
    const uid = await repo();
    const most = 1024 * 1024;
    assert.equal(
      (await api.repos.updateRepoReadme({ repoReadme: { uid, content: "x".repeat(most) } })).content
        .length,
      most,
    );
    for (const content of ["x".repeat(most + 1), "ü".repeat(most / 2 + 1)]) {
      const { code, fields } = await rejected(
        api.repos.updateRepoReadme({ repoReadme: { uid, content } }),
      );
      assert.deepEqual([code, Object.keys(fields)], [3, ["content"]]);
    }
    assert.equal((await api.repos.getRepoReadme({ uid })).content.length, most);
  });

  world.rule("cannot contain unsafe HTML", async (api) => {
    const uid = await repo();
    await api.repos.updateRepoReadme({ repoReadme: { uid, content: TEXT } });
    const { code, fields } = await rejected(
      api.repos.updateRepoReadme({ repoReadme: { uid, content: `${TEXT}<script>` } }),
    );
    assert.equal(code, 3);
    assert.deepEqual(Object.keys(fields), ["content"]);
    assert.equal((await api.repos.getRepoReadme({ uid })).content, TEXT);
  });

  world.rule("cannot contain unsafe links, in any spelling", async (api) => {
    const uid = await repo();
    await api.repos.updateRepoReadme({ repoReadme: { uid, content: TEXT } });
    for (const link of [
      "[x](javascript:alert(1))",
      "![x](data:image/svg+xml;base64,AAAA)",
      "[a]: javascript:alert(1)",
      "[x](&#106;avascript:alert(1))",
    ]) {
      const { code, fields } = await rejected(
        api.repos.updateRepoReadme({ repoReadme: { uid, content: `${TEXT}${link}` } }),
      );
      assert.deepEqual([code, Object.keys(fields)], [3, ["content"]]);
      const whole = { id: uid, name: "x", readme: link };
      assert.equal((await rejected(api.v1.registry.updateRepo(whole))).code, 3);
    }
    assert.equal((await api.repos.getRepoReadme({ uid })).content, TEXT);
    const mentioned = "Write `[x](javascript:alert(1))` and see.\n";
    assert.equal(
      (await api.repos.updateRepoReadme({ repoReadme: { uid, content: mentioned } })).content,
      mentioned,
    );
  });

  world.rule("are returned without unsafe links that an earlier version stored", async (api) => {
    const name = world.name("repo");
    const { uid } = await api.repos.create(org, { name });
    const direct = await DirectStore.open(world.server);
    const stored = "# Old\n\n[x](javascript:alert(1))\n\n[a]: data:text/html,x\n";
    await direct.change(({ tx }) => writeReadme(tx, uid, stored)).finally(() => direct.close());
    const content = "# Old\n\n[x](#alert(1))\n\n[a]: #text/html,x\n";
    assert.equal((await api.repos.getRepoReadme({ uid })).content, content);
    const { items } = await api.v1.registry.listRepos({ id: uid });
    assert.equal(items[0].readme, content);
    // The response of a read can be written back, by those who may not change READMEs too.
    const updater = api.as((await world.member({ [org]: ["repo.update", "repo.list"] })).token);
    const back = { id: uid, name, readme: content, description: "new" };
    assert.equal((await updater.v1.registry.updateRepo(back)).description, "new");
    assert.equal(
      (await api.repos.updateRepoReadme({ repoReadme: { uid, content } })).content,
      content,
    );
  });

  world.rule("belong to repos that exist", async (api) => {
    const nowhere = `${org}/0123456789abcdef`;
    const calls = [
      api.repos.getRepoReadme({ uid: nowhere }),
      api.repos.updateRepoReadme({ repoReadme: { uid: nowhere, content: "x" } }),
    ];
    for (const refusal of await allRejected(calls)) {
      assert.deepEqual([refusal.code, refusal.missing], [5, `Repo ${nowhere}`]);
    }
  });

  world.rule("leave an event when they change", async (api) => {
    const uid = await repo();
    await api.repos.updateRepoReadme({ repoReadme: { uid, content: "x" } });
    await api.repos.updateRepoReadme({ repoReadme: { uid, content: "x" } });
    const sql = `SELECT group_uid, body_type, body FROM events
      WHERE subject = '${uid}' AND type = 'platform.registry.repo.updated.v1'`;
    const events = await rawRows<Record<string, string>>(world.server, sql);
    assert.equal(events.length, 1);
    const [event] = events;
    const type = "wharf.registry.v2beta1.RepoReadme";
    assert.deepEqual([event?.group_uid, event?.body_type], [org, type]);
    assert.deepEqual(JSON.parse(String(event?.body)), { uid, content: "x" });
  });

  test("are updated by mask", async () => {
    const uid = await repo();
    const rest = new Http(world.server.url, world.operator().token);
    const path = `/registry/v2beta1/repos/${uid}/readme`;
    assert.equal((await rest.patch(path, { content: "x" })).body.content, "x");
    assert.equal((await rest.patch(path, {})).body.content, "x");
    assert.equal((await rest.patch(`${path}?updateMask=uid`, { content: "y" })).body.content, "x");
    assert.equal((await rest.patch(`${path}?updateMask=*`, { content: "y" })).body.content, "y");
    assert.equal((await rest.patch(`${path}?updateMask=name`, { content: "z" })).status, 400);
  });

  world.rule("require both capabilities to be written", async (api) => {
    const uid = await repo();
    await api.repos.updateRepoReadme({ repoReadme: { uid, content: "x" } });
    const updater = api.as((await world.member({ [org]: ["repo.update", "repo.list"] })).token);
    assert.equal((await updater.repos.getRepoReadme({ uid })).content, "x");
    const refusal = await rejected(
      updater.repos.updateRepoReadme({ repoReadme: { uid, content: "y" } }),
    );
    assert.equal(refusal.code, 7);
    const both = ["repo.update", "repo.internal.admin", "internal"];
    const admin = api.as((await world.member({ [org]: both })).token);
    assert.equal(
      (await admin.repos.updateRepoReadme({ repoReadme: { uid, content: "y" } })).content,
      "y",
    );
    assert.equal((await rejected(admin.repos.getRepoReadme({ uid }))).code, 7);
  });
});
