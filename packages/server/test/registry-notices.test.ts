import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { FIXED } from "./support/oracle/random.ts";
import { runs, usualTest } from "./support/oracle/runs.ts";
import { inAnyOrder } from "./support/registry/any-order.ts";
import { RegistryStorage, type StoredImage } from "./support/registry/storage.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { checkRows } from "./support/server/store-consistency.ts";
import { STORES } from "./support/server/test-server.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

/** Recently: the server deletes what it remembers of old notifications in the background. */
const START = Date.now() - 3_600_000;

/** An event as CNCF Distribution writes it. */
function event(action: string, repository: string, target: object, at: number, actor = ""): object {
  return {
    id: randomUUID(),
    timestamp: new Date(START + at).toISOString(),
    action,
    target: { repository, ...target },
    request: { addr: "192.0.2.7:4711", host: "x", method: "PUT", useragent: "tests" },
    actor: { name: actor },
  };
}

for (const store of STORES) {
  describe(`registry notifications, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let images: StoredImage[];
    let repos = 0;
    before(async () => {
      const flags = ["--reconcile-minutes", "0"];
      tracked = await TrackedRegistry.start({ store, flags, notifies: false });
      const storage = new RegistryStorage(tracked.registry.storage);
      const index = storage.index("several", ["amd64", "arm64"]);
      images = [index, storage.image("one"), storage.image("two")];
      for (const [at, image] of images.entries()) storage.tag("acme/source", `${at}`, image);
    });
    after(async () => {
      const direct = await DirectStore.open(tracked.world.server);
      await checkRows(direct.store.reader);
      await direct.close();
      await tracked.stop();
    });

    const digest = (at: number) => (images[at] as StoredImage).digest;
    const mediaType = "application/vnd.oci.image.manifest.v1+json";
    const push = (path: string, tag: string, image: number, at: number) =>
      event("push", path, { mediaType, digest: digest(image), tag }, at);
    const notify = async (...events: object[]) => {
      const response = await tracked.notify(events);
      assert.equal(response.status, 200, await response.text());
    };
    const refusal = async (response: Response) => {
      const { errors } = (await response.json()) as { errors: { code: string }[] };
      return [response.status, errors[0]?.code];
    };

    usualTest("notifications without the secret are rejected", async () => {
      const news = [push("acme/source", "stolen", 0, 1)];
      for (const authorization of [
        "",
        "Bearer",
        "Bearer x",
        `Basic ${tracked.secret}`,
        `Bearer ${tracked.secret}x`,
        `Bearer ${await tracked.world.server.token()}`,
      ]) {
        const response = await tracked.notify(news, { authorization });
        assert.deepEqual(await refusal(response), [401, "UNAUTHORIZED"], authorization);
      }
      assert.equal(await tracked.repo("source"), undefined);
    });

    usualTest("the secret of a detached registry is rejected", async () => {
      const other = (
        await tracked.world.server.admin("registry-secret", "other.example.com")
      ).trim();
      assert.notEqual(other, tracked.secret);
      const response = await tracked.notify([push("acme/source", "x", 0, 1)], {
        authorization: `Bearer ${other}`,
      });
      assert.deepEqual(await refusal(response), [401, "UNAUTHORIZED"]);
      const own = await tracked.world.server.admin("registry-secret", tracked.registry.host);
      assert.equal(own.trim(), tracked.secret);
    });

    usualTest("a malformed envelope is rejected", async () => {
      const send = (body: string, type = "application/json") =>
        fetch(`${tracked.world.server.url}/registry/notifications`, {
          method: "POST",
          headers: { authorization: `Bearer ${tracked.secret}`, "content-type": type },
          body,
        });
      assert.equal((await send("{}", "text/plain")).status, 415);
      assert.equal((await send("{")).status, 400);
      assert.equal((await send("{}")).status, 400);
      assert.equal((await send("null")).status, 400);
      const large = JSON.stringify({ events: [], more: "x".repeat(1024 * 1024) });
      assert.deepEqual(await refusal(await send(large)), [413, "SIZE_INVALID"]);
    });

    usualTest("the media type of Distribution 3 is accepted", async () => {
      const path = `acme/third-${repos++}`;
      const type = "application/vnd.docker.distribution.events.v2+json";
      const response = await tracked.notify([push(path, "1", 0, 1)], { "content-type": type });
      assert.equal(response.status, 200);
      assert.notEqual(await tracked.repo(path.slice(5)), undefined);
    });

    usualTest("a push that moves an immutable tag is recorded, with a warning", async () => {
      const path = `acme/unique-${repos++}`;
      const at = `/registry/v2beta1/settings/${tracked.world.registry.organization}`;
      const unique = (uniqueTags: boolean) => tracked.world.http.patch(at, { uniqueTags });
      await unique(true);
      await notify(push(path, "1", 0, 1), push(path, "1", 0, 2), push(path, "1", 1, 3));
      await unique(false);
      await notify(push(path, "1", 2, 4));
      const repo = (await tracked.repo(path.slice(5))) as string;
      assert.equal((await tracked.tag(repo, "1"))?.digest, digest(2));
      const of = async (column: string, where: string) => {
        const sql = `SELECT ${column} AS said FROM ${where} ORDER BY id`;
        return (await tracked.rows<{ said: string }>(sql)).map(({ said }) => JSON.parse(said));
      };
      const audits = await of(
        "detail",
        `audit WHERE resource = '${repo}' AND method = 'registry push'`,
      );
      const events = await of(
        "body",
        `events WHERE subject = '${repo}' AND type = 'registry.push.v1'`,
      );
      const only = [undefined, undefined, true, undefined];
      assert.deepEqual(
        audits.map((one) => one.movedUniqueTag),
        only,
      );
      assert.deepEqual(
        events.map((one) => one.moved_unique_tag),
        only,
      );
    });

    usualTest("malformed events are skipped, and the others applied", async () => {
      const path = `acme/odd-${repos++}`;
      await notify(
        null as never,
        {},
        event("push", path, { digest: "sha256:x", tag: "a", mediaType }, 1),
        event("push", "../../etc", { digest: digest(0), tag: "a", mediaType }, 1),
        event("push", path, { digest: digest(0), tag: "../x", mediaType }, 1),
        event("explode", path, { digest: digest(0), tag: "a", mediaType }, 1),
        event("push", "nobody/app", { digest: digest(0), tag: "a", mediaType }, 1),
        event("pull", path, { digest: digest(0), tag: "a", mediaType }, 1),
        event("delete", path, { digest: digest(0) }, 1),
        push(path, "good", 0, 2),
      );
      const repo = (await tracked.repo(path.slice(5))) as string;
      const names = (await tracked.tags(repo)).map(({ name }) => name);
      assert.deepEqual(names, ["good"]);
      // Words that every object knows.
      for (const action of ["constructor", "toString", "__proto__"]) {
        await notify(event(action, path, { digest: digest(0), tag: "a", mediaType }, 3));
      }
      const audits = await tracked.rows<{ method: string }>(
        `SELECT method FROM audit WHERE resource = '${repo}' AND method LIKE 'registry%'`,
      );
      assert.deepEqual(
        audits.map(({ method }) => method),
        ["registry push"],
      );
    });

    usualTest("a duplicate notification leaves one event and one audit row", async () => {
      const path = `acme/twice-${repos++}`;
      const news = push(path, "1", 0, 1);
      await Promise.all([notify(news), notify(news), notify(news, news)]);
      const repo = (await tracked.repo(path.slice(5))) as string;
      const count = async (table: string, where: string) =>
        (await tracked.rows(`SELECT 1 FROM ${table} WHERE ${where}`)).length;
      assert.equal(await count("events", `subject = '${repo}' AND type = 'registry.push.v1'`), 1);
      assert.equal(await count("audit", `resource = '${repo}' AND method = 'registry push'`), 1);
    });

    usualTest(
      "audit rows name actor and repo as they were called, also once both are gone",
      async () => {
        const name = `named-${repos++}`;
        const path = `acme/${name}`;
        const { http, registry } = tracked.world;
        const pusher = `pusher-${name}`;
        const actor = await registry.identity(pusher);
        const target = { digest: digest(0), tag: "1", mediaType };
        await notify(event("push", path, target, 1, actor));
        const repo = (await tracked.repo(name)) as string;
        await notify(
          event("pull", path, target, 2, actor),
          event("delete", path, { digest: digest(0) }, 3, actor),
          event("delete", path, {}, 4, actor),
        );
        assert.equal((await http.delete(`/iam/v2beta1/identities/${actor}`)).status, 200);
        assert.equal(await tracked.repo(name), undefined);
        const rows = await tracked.rows<{ method: string; actor_name: string; name: string }>(
          `SELECT method, actor_name, resource_name AS name FROM audit
         WHERE resource LIKE '${repo}%' AND actor = '${actor}' ORDER BY id`,
        );
        const methods = rows.map(({ method }) => method);
        for (const action of ["push", "pull", "delete"]) {
          assert.ok(methods.includes(`registry ${action}`), methods.join());
        }
        assert.ok(
          methods.some((method) => method.endsWith("/CreateTag")),
          methods.join(),
        );
        for (const { method, actor_name, name: resource } of rows) {
          assert.equal(actor_name, pusher, method);
          assert.equal(resource, method.endsWith("Tag") ? "1" : name, method);
        }
      },
    );

    usualTest("concurrent pushes to a new path create its folders once", async () => {
      const folder = `folder-${repos++}`;
      const all = Array.from({ length: 12 }, (_, at) =>
        push(`acme/${folder}/inner/app-${at % 3}`, `t${at}`, 0, at),
      );
      await Promise.all(all.map((one) => notify(one)));
      for (const name of [folder, "inner"]) {
        const { body } = await tracked.world.http.get(`/iam/v2beta1/groups?name=${name}`);
        assert.equal(body.groups.length, 1, name);
      }
    });

    usualTest("content of the registry is recorded beyond the quota", async () => {
      const folder = `full-${repos++}`;
      const { uid } = await tracked.world.post(`groups/${tracked.world.registry.organization}`, {
        name: folder,
        resourceLimits: { repositories: 1 },
      });
      for (const name of ["one", "two"]) await notify(push(`acme/${folder}/${name}`, "1", 0, 1));
      const { body } = await tracked.world.http.get(
        `/registry/v2beta1/repos?uidp.childrenOf=${uid}`,
      );
      assert.deepEqual(body.repos.map(({ name }: { name: string }) => name).sort(), ["one", "two"]);
      const more = await tracked.world.http.post(`/registry/v2beta1/repos/${uid}`, {
        name: "x",
      });
      assert.equal(more.body.code, 9, "though nobody can add to it");
    });

    usualTest(
      "a repo that the pusher can no longer create is attributed to the installation",
      async () => {
        const path = `acme/orphan-${repos++}`;
        const actor = await tracked.world.registry.identity(path.slice(5));
        const target = { mediaType, digest: digest(0), tag: "1" };
        await notify(event("push", path, target, 1, actor));
        const repo = (await tracked.repo(path.slice(5))) as string;
        const [row] = await tracked.rows<{ actor: string; detail: string }>(
          `SELECT actor, detail FROM audit WHERE resource = '${repo}' AND method = 'registry push'`,
        );
        assert.equal(row?.actor, actor);
        assert.equal(JSON.parse(row?.detail ?? "").madeBy, "the installation");
        const granted = await tracked.world.registry.grantedTo(
          actor,
          `repository:${path}:pull,push`,
        );
        assert.deepEqual(granted, []);
      },
    );

    test("lost, repeated and reordered notifications end in the same tags", async () => {
      const news = fc.array(
        fc.record({ tag: fc.constantFrom("a", "b"), image: fc.nat(2), kind: fc.nat(5) }),
        { minLength: 1, maxLength: 8 },
      );
      const property = fc.asyncProperty(inAnyOrder(news), async ([all, order]) => {
        const path = `acme/shuffled-${repos++}`;
        const wanted = new Map<string, string>();
        const events = all.map(({ tag, image, kind }, at) => {
          if (kind === 5) {
            wanted.clear();
            return event("delete", path, {}, at);
          }
          if (kind > 1) {
            wanted.set(tag, digest(image));
            return push(path, tag, image, at);
          }
          if (kind === 1) {
            wanted.delete(tag);
            return event("delete", path, { tag }, at);
          }
          for (const [name, known] of wanted) if (known === digest(image)) wanted.delete(name);
          return event("delete", path, { digest: digest(image) }, at);
        });
        for (const at of order) await notify(events[at] as object);
        const repo = await tracked.repo(path.slice(5));
        const tags = repo === undefined ? [] : await tracked.tags(repo);
        assert.deepEqual(new Map(tags.map((tag) => [tag.name, tag.digest])), wanted);
      });
      await fc.assert(property, { ...FIXED, numRuns: runs(3, 30) });
    });
  });
}
