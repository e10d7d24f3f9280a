/** Renamed folders, repos and organizations with images, and their former paths. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parentOf } from "@wharf/contract";
import { resolvePath } from "../src/registry/path.ts";
import { locationsOf } from "../src/store/tables/registry/locations.ts";
import { ALIAS_MS } from "../src/store/tables/registry/path-aliases.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { OciClient } from "./support/registry/oci-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { onEachStore, World } from "./support/world/world.ts";

/** An attached registry that nobody runs. */
const ATTACHED = "attached.test";

onEachStore(
  "former paths of images",
  (world) => {
    let client: OciClient;
    let pusher: string;
    let direct: DirectStore;
    before(async () => {
      pusher = await world.registry.holder("pusher", "registry.push");
      client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
      direct = await DirectStore.open(world.server);
    });
    after(() => direct.close());

    /** Pushes an image to a repo in a new folder of acme. */
    const pushed = async (repo = "app") => {
      const name = world.name("folder");
      const image = await client.image(`acme/${name}/${repo}`, "1", name);
      const { groups } = await world.operator().groups.list({ name });
      const folder: string = groups[0].uid;
      const { repos } = await world.operator().repos.list({ uidp: { descendantsOf: folder } });
      return { name, folder, repo: repos[0].uid as string, image };
    };
    const pull = async (path: string, by = client) => {
      const { status, headers } = await by.get(`/v2/${path}/manifests/1`);
      return [status, headers["docker-content-digest"], headers.warning];
    };
    const warning = (path: string) => `299 - "renamed to ${path}"`;

    world.rule(
      "a renamed folder answers at both paths, with a warning at the old one",
      async (api) => {
        const { name, folder, repo, image } = await pushed("deep/app");
        const renamed = world.name("renamed");
        await api.groups.update(folder, { name: renamed });
        const current = `acme/${renamed}/deep/app`;
        assert.deepEqual(await pull(current), [200, image.digest, undefined]);
        const old = `acme/${name}/deep/app`;
        assert.deepEqual(await pull(old), [200, image.digest, warning(current)]);
        const tags = await client.get(`/v2/${old}/tags/list`);
        assert.deepEqual([tags.body.tags, tags.headers.warning], [["1"], warning(current)]);
        const blob = await client.send("HEAD", `/v2/${old}/blobs/${image.layer}`);
        assert.deepEqual([blob.status, blob.headers.warning], [200, warning(current)]);
        // Tags are written through the API as before.
        await api.tags.create(repo, { name: "2", digest: image.digest });
        const { locations } = await api.images.listImageLocations({ repoUid: repo });
        assert.deepEqual(
          locations.map(({ path }: { path: string }) => path),
          [current],
        );
        assert.deepEqual(await pull(`acme/${name}/deep/none`), [404, undefined, undefined]);
      },
    );

    world.rule("a push to the old path arrives at the renamed repo", async (api) => {
      const { name, folder, repo } = await pushed();
      const renamed = world.name("renamed");
      await api.groups.update(folder, { name: renamed });
      await api.repos.update(repo, { name: "other" });
      const old = `acme/${name}/app`;
      const manifest = await client.manifestOf(old, "again");
      const { status, headers } = await client.putManifest(old, "2", manifest);
      assert.deepEqual([status, headers.warning], [201, warning(`acme/${renamed}/other`)]);
      const { tags } = await api.tags.list({ uidp: { childrenOf: repo }, orderBy: "name" });
      assert.deepEqual(
        tags.map((tag: { name: string }) => tag.name),
        ["1", "2"],
      );
      // A new repo below the old path is created in the renamed folder.
      const made = await client.image(`acme/${name}/fresh`, "1", "fresh");
      assert.deepEqual(await pull(`acme/${renamed}/fresh`), [200, made.digest, undefined]);
      const { groups } = await api.groups.list({ name });
      assert.deepEqual(groups, []);
      const paths = await locationsOf(direct.store.reader, repo);
      assert.deepEqual(
        paths.map(({ path }) => path),
        [`acme/${renamed}/other`],
      );
    });

    world.rule("renames follow each other, also back", async (api) => {
      const { name, folder, image } = await pushed();
      const [second, third] = [world.name("second"), world.name("third")];
      await api.groups.update(folder, { name: second });
      await api.groups.update(folder, { name: third });
      const current = `acme/${third}/app`;
      for (const former of [name, second])
        assert.deepEqual(await pull(`acme/${former}/app`), [200, image.digest, warning(current)]);
      await api.groups.update(folder, { name });
      assert.deepEqual(await pull(`acme/${name}/app`), [200, image.digest, undefined]);
      for (const former of [second, third])
        assert.deepEqual(await pull(`acme/${former}/app`), [
          ...[200, image.digest, warning(`acme/${name}/app`)],
        ]);
    });

    world.rule("nobody else gets the old path meanwhile", async (api) => {
      const { name, folder, repo } = await pushed();
      const { organization } = world.registry;
      await api.repos.update(repo, { name: "moved" });
      await api.groups.update(folder, { name: world.name("renamed") });
      const [group, free] = [
        await world.group(organization),
        await api.repos.create(folder, { name: "free" }),
      ];
      const denials = await allRejected([
        api.groups.create(organization, { name }),
        api.groups.update(group, { name }),
        api.repos.create(folder, { name: "app" }),
        api.repos.update(free.uid, { name: "app" }),
      ]);
      for (const { code, violations } of denials)
        assert.deepEqual([code, violations], [9, ["NAME_TAKEN"]]);
      // A repo whose name has slashes would have the path, too.
      const slashes = await rejected(api.repos.create(organization, { name: `${name}/moved` }));
      assert.equal(slashes.code, 6);
      // The name of a folder is none of a repo.
      assert.ok(await api.repos.create(organization, { name }));
    });

    world.rule(
      "after 30 days, or once the target is deleted, the old path is free",
      async (api) => {
        const { name, folder, repo } = await pushed();
        await api.groups.update(folder, { name: world.name("renamed") });
        const { organization } = world.registry;
        assert.equal((await rejected(api.groups.create(organization, { name }))).code, 9);
        await direct.store.write((tx) =>
          tx.run(
            "UPDATE path_aliases SET expires = expires - ? WHERE target = ?",
            ALIAS_MS,
            folder,
          ),
        );
        assert.deepEqual(await pull(`acme/${name}/app`), [404, undefined, undefined]);
        assert.equal((await api.groups.create(organization, { name })).name, name);

        await api.repos.update(repo, { name: "second" });
        await api.repos.delete(repo);
        await api.repos.create(folder, { name: "app" });
        const other = await pushed();
        await api.groups.update(other.folder, { name: world.name("renamed") });
        await api.repos.delete(other.repo);
        await api.groups.delete(other.folder);
        assert.equal(
          (await api.groups.create(organization, { name: other.name })).name,
          other.name,
        );
      },
    );

    world.rule("an old path gives no access that the repo does not give", async (api) => {
      const { name, folder, image } = await pushed();
      const renamed = world.name("renamed");
      await api.groups.update(folder, { name: renamed });
      const stranger = await world.registry.holder(
        world.name("stranger"),
        "registry.push",
        world.registry.team,
      );
      const other = client.as(`Bearer ${await world.signer.token(stranger)}`);
      const old = `acme/${name}/app`;
      for (const [method, path] of [
        ["GET", `/v2/${old}/manifests/1`],
        ["PUT", `/v2/${old}/manifests/1`],
        ["POST", `/v2/${old}/blobs/uploads/`],
        ["DELETE", `/v2/${old}/manifests/${image.digest}`],
        ["GET", `/v2/${old}/blobs/${image.layer}`],
      ] as const) {
        const { status, headers, body } = await other.send(method, path);
        assert.deepEqual([method, status, headers.warning], [method, 403, undefined]);
        assert.ok(!JSON.stringify(body).includes(renamed), "nor does it tell the new name");
      }
      const anonymous = await client.as(undefined).get(`/v2/${old}/manifests/1`);
      assert.deepEqual([anonymous.status, anonymous.headers.warning], [401, undefined]);
      const mount = `/v2/acme/team/x/blobs/uploads/?mount=${image.layer}&from=${old}`;
      assert.equal((await other.send("POST", mount)).status, 202, "not mounted");
      const own = `/v2/acme/team/y/blobs/uploads/?mount=${image.layer}&from=${old}`;
      assert.equal((await client.send("POST", own)).status, 201, "who may pull there may mount");
    });

    test("tokens for the old name work at the old path, and only there", async () => {
      const { name, folder, image } = await pushed();
      const old = `acme/${name}/app`;
      const scope = `repository:${old}:pull,push`;
      const ask = async () => {
        const password = await world.registry.token(pusher);
        const { body, granted } = await world.registry.ask({ user: "_token", password, scope });
        assert.deepEqual(granted, [scope]);
        return client.as(`Bearer ${body.token}`);
      };
      const before = await ask();
      const renamed = world.name("renamed");
      await world.operator().groups.update(folder, { name: renamed });
      const current = `acme/${renamed}/app`;
      for (const holder of [before, await ask()]) {
        assert.deepEqual(await pull(old, holder), [200, image.digest, warning(current)]);
        assert.equal((await holder.get(`/v2/${current}/manifests/1`)).status, 401);
        await holder.image(old, "1", name);
      }
      const history = await before.get(`/v2/${old}/_chainguard/history/1`);
      assert.equal(history.body.history.at(-1).digest, image.digest);
    });

    test("an attached registry has no old paths", async () => {
      const { name, folder } = await pushed();
      await world.operator().groups.update(folder, { name: world.name("renamed") });
      const { engine, store } = direct;
      const path = `acme/${name}/app`;
      assert.equal(await resolvePath(engine.catalog, store.reader, path), undefined);
      const password = await world.registry.token(pusher, ATTACHED);
      const { status } = await world.registry.ask({
        ...{ user: "_token", password, service: ATTACHED },
        scope: `repository:${path}:pull,push`,
      });
      assert.equal(status, 403);
    });

    world.rule("images in attached registries keep the name, beside own ones, too", async (api) => {
      const { folder, repo } = await pushed();
      await direct.store.write((tx) =>
        tx.run(
          "INSERT INTO registry_places (host, path, repo, made, seen) VALUES (?, ?, ?, 0, 0)",
          ...[ATTACHED, world.name("path"), repo],
        ),
      );
      const denials = await allRejected([
        api.groups.update(folder, { name: world.name("renamed") }),
        api.repos.update(repo, { name: "other" }),
      ]);
      for (const { violations } of denials) assert.deepEqual(violations, ["RESOURCE_NOT_EMPTY"]);
    });

    world.rule("a repo with images has one segment", async (api) => {
      const { folder, repo } = await pushed();
      for (const name of ["a/b", "a b"]) {
        const { violations } = await rejected(api.repos.update(repo, { name }));
        assert.deepEqual(violations, ["RESOURCE_NOT_EMPTY"]);
      }
      assert.equal((await api.repos.update(repo, { name: "b" })).name, "b");
      assert.equal(parentOf(repo), folder);
    });

    world.rule("a folder whose name clients cannot write is reached by its uid", async (api) => {
      const { name, folder, image } = await pushed();
      await api.groups.update(folder, { name: `${world.name("our")} folder` });
      const current = `acme/${folder.slice(folder.lastIndexOf("/") + 1)}/app`;
      assert.deepEqual(await pull(`acme/${name}/app`), [200, image.digest, warning(current)]);
      assert.deepEqual(await pull(current), [200, image.digest, undefined]);
    });

    world.rule(
      "a verified organization is renamed, and nobody else gets its old name",
      async (api) => {
        const [name, renamed] = [world.name("first.example"), world.name("second.example")];
        const [org, other] = [await world.organization(name), await world.organization(renamed)];
        await api.groups.update(org, { verified: true });
        await world.bind(org, pusher, "registry.push");
        const image = await client.image(`${name}/app`, "1", name);
        await api.groups.update(org, { name: renamed });
        const current = `${renamed}/app`;
        assert.deepEqual(await pull(`${name}/app`), [200, image.digest, warning(current)]);
        assert.deepEqual(await pull(`${org}/app`), [200, image.digest, undefined]);
        await api.groups.update(other, { name });
        const taken = await rejected(api.groups.update(other, { verified: true }));
        assert.deepEqual([taken.code, taken.violations], [9, ["NAME_TAKEN"]]);
        // A rename of another organization ends no alias.
        await api.groups.update(other, { name: world.name("third.example") });
        await api.groups.update(other, { name });
        assert.equal((await rejected(api.groups.update(other, { verified: true }))).code, 9);
        await api.groups.update(org, { name });
        assert.deepEqual(await pull(`${name}/app`), [200, image.digest, undefined]);
        assert.deepEqual(await pull(current), [200, image.digest, warning(`${name}/app`)]);
      },
    );
  },
  { registry: true, flags: ["--registries", ATTACHED, "--exposure-layers=off"] },
);

describe("a rename and pushes on two replicas", () => {
  let world: World;
  let other: TestServer;
  let clients: OciClient[];
  before(async () => {
    const storage = ["--registry-storage", scratchFolder("wharf-content-")];
    const flags = ["--base-url", "http://wharf.test", ...storage];
    world = await World.start({ store: "postgres", registry: true, flags });
    const same = ["--registry-host", "registry.test", ...flags];
    other = await TestServer.start({ sameStoreAs: world.server, flags: same });
    const pusher = await world.registry.holder("pusher", "registry.push");
    const token = `Bearer ${await world.server.token(pusher)}`;
    clients = [world.server, other].map(({ url }) => new OciClient(url, token));
  });
  after(async () => {
    assert.equal(await other.stop(), 0);
    await world.stop();
  });

  test("all images are in one folder, whatever its name was when they arrived", async () => {
    const [one, two] = clients as [OciClient, OciClient];
    const api = world.operator();
    for (let round = 0; round < 4; round++) {
      const [name, renamed] = [world.name("team"), world.name("renamed")];
      await one.image(`acme/${name}/app`, "0", "first");
      const { groups } = await api.groups.list({ name });
      const [, ...pushed] = await Promise.all([
        api.groups.update(groups[0].uid, { name: renamed }),
        one.image(`acme/${name}/app`, "1", `${round} one`),
        two.image(`acme/${name}/app`, "2", `${round} two`),
        two.image(`acme/${name}/new`, "3", `${round} new`),
      ]);
      const repos = ["app", "app", "new"];
      for (const [at, { digest }] of pushed.entries()) {
        const path = `/v2/acme/${renamed}/${repos[at]}/manifests/${at + 1}`;
        const { headers } = await one.get(path);
        assert.equal(headers["docker-content-digest"], digest);
      }
      assert.deepEqual((await api.groups.list({ name })).groups, []);
    }
  });
});
