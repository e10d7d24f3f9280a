import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parentOf } from "@wharf/contract";
import { groupsV1 } from "@wharf/contract/v1";
import { ensureRepoForPath } from "../src/registry/ingest/ensure-repo-for-path.ts";
import { recordManifest } from "../src/registry/ingest/manifest-state.ts";
import { systemMutation } from "../src/registry/ingest/system-mutation.ts";
import { recordTag } from "../src/registry/ingest/tag-state.ts";
import { resolvePath } from "../src/registry/path.ts";
import { findLocation } from "../src/store/tables/registry/locations.ts";
import { clearRepoDeletion } from "../src/store/tables/registry/repo-deletions.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { digest } from "./support/registry/oci-image.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const HOST = "registry.test";

/** No registry of the installation any more. */
const FORMER_HOST = "former.test";

onEachStore(
  "renaming what image paths consist of",
  (world) => {
    let replica: DirectStore;
    let org: string;
    let orgName: string;
    before(async () => {
      replica = await DirectStore.open(world.server);
      orgName = world.name("verified.example");
      org = await world.organization(orgName);
      await world.operator().groups.update(org, { verified: true });
    });
    after(() => replica.close());

    /** Ingests the push of a tag, as another replica. Returns the uid of the repo. */
    const push = (path: string, tag = "1", host = HOST): Promise<string> =>
      replica.change(async ({ deps, tx }) => {
        const time = Date.now();
        const origin = { actor: "", time, requestId: "", remoteAddress: "", userAgent: "" };
        const repo = await ensureRepoForPath(deps, tx, host, path, origin);
        assert.ok(repo);
        const mutation = systemMutation(deps, tx, "tag", origin);
        await recordTag(mutation, repo.uid, { name: tag, digest: digest(1), time });
        return repo.uid;
      });

    world.rule(
      "a folder with images keeps its name, at any depth, in both versions",
      async (api) => {
        const name = world.name("team");
        const repo = await push(`${orgName}/${name}/deep/app`);
        const folder = parentOf(parentOf(repo));
        const rename = { name: world.name("renamed") };
        const denials = await allRejected([
          api.groups.update(folder, rename),
          api.groups.update(folder, { ...rename, description: "x" }, ["*"]),
          api.groups.update(parentOf(repo), rename),
          api.v1.call(groupsV1.Groups, "Update", { id: folder, ...rename }),
        ]);
        for (const { code, violations, message } of denials) {
          assert.deepEqual([code, violations[0]], [9, "RESOURCE_NOT_EMPTY"]);
          assert.match(message, /with images/);
        }
        const same = await api.groups.update(folder, { name, description: "same name" });
        assert.deepEqual([same.name, same.description], [name, "same name"]);
      },
    );

    world.rule("untagged images count, and empty repos do not", async (api) => {
      const name = world.name("team");
      const folder = await world.group(org, name);
      const { uid } = await api.repos.create(folder, { name: "app" });
      const renamed = world.name("renamed");
      assert.equal((await api.groups.update(folder, { name: renamed })).name, renamed);
      await replica.change((mutation) => recordManifest(mutation, uid, MANIFEST));
      const { violations } = await rejected(api.groups.update(folder, { name }));
      assert.equal(violations[0], "RESOURCE_NOT_EMPTY");
    });

    world.rule("a verified organization with images keeps its name", async (api) => {
      const name = world.name("verified.example");
      const other = await world.organization(name);
      await push(`${other}/app`);
      const next = world.name("next.example");
      const unverified = await api.groups.update(other, { name: next });
      assert.equal(unverified.name, next, "paths have the uid of an unverified organization");
      await api.groups.update(other, { verified: true });
      const { code, violations } = await rejected(api.groups.update(other, { name }));
      assert.deepEqual([code, violations[0]], [9, "RESOURCE_NOT_EMPTY"]);
    });

    world.rule("a verified name is free after the images of the last organization", async (api) => {
      const name = world.name("verified.example");
      const [first, second] = [await world.organization(name), await world.organization(name)];
      await api.groups.update(first, { verified: true });
      const repo = await push(`${name}/app`);
      await api.groups.update(first, { verified: false }, ["verified"]);
      const taken = await rejected(api.groups.update(second, { verified: true }));
      assert.deepEqual([taken.code, taken.violations], [9, ["NAME_TAKEN"]]);
      await api.groups.update(first, { verified: true });
      await api.groups.update(first, { verified: false }, ["verified"]);
      const { tags } = await api.tags.list({ uidp: { childrenOf: repo } });
      await api.tags.delete(tags[0].uid);
      await api.repos.delete(repo);
      assert.equal((await api.groups.update(second, { verified: true })).verified, true);
    });

    /** Does the same as a reconcile pass when the registry has nothing at the path any more. */
    const emptied = (path: string) => replica.change(({ tx }) => clearRepoDeletion(tx, HOST, path));

    world.rule("images of a deleted repo keep the name of its folder", async (api) => {
      const name = world.name("team");
      const path = `${orgName}/${name}/deep/app`;
      const repo = await push(path);
      await api.repos.delete(repo);
      const folder = parentOf(parentOf(repo));
      const renamed = world.name("renamed");
      const { code, violations, message } = await rejected(
        api.groups.update(folder, { name: renamed }),
      );
      assert.deepEqual([code, violations], [9, ["RESOURCE_NOT_EMPTY"]]);
      assert.ok(message.includes(`${HOST}/${path}`));
      await emptied(path);
      assert.equal((await api.groups.update(folder, { name: renamed })).name, renamed);
    });

    world.rule("images in a registry of former times keep no name", async (api) => {
      const name = world.name("team");
      const repo = await push(`${orgName}/${name}/app`, "1", FORMER_HOST);
      await api.repos.delete(repo);
      const folder = parentOf(repo);
      await api.groups.update(folder, { name: world.name("renamed") });
      assert.equal((await api.groups.update(await world.group(org), { name })).name, name);
    });

    world.rule("no folder takes the images of a deleted one by its name", async (api) => {
      const name = world.name("team_x");
      const path = `${orgName}/${name}/app`;
      const repo = await push(path);
      await api.repos.delete(repo);
      await api.groups.delete(parentOf(repo));
      const other = await world.group(org);
      const { token } = await world.member({ [other]: ["groups.update", "groups.list"] });
      for (const caller of [api, api.as(token)]) {
        const taken = await rejected(caller.groups.update(other, { name }));
        assert.deepEqual([taken.code, taken.violations], [9, ["NAME_TAKEN"]]);
      }
      const similar = name.replace("_", "-");
      assert.equal((await api.groups.update(other, { name: similar })).name, similar);
      await emptied(path);
      assert.equal((await api.groups.update(other, { name })).name, name);
    });

    world.rule(
      "no organization takes the images of another's deleted repos by its name",
      async (api) => {
        const name = world.name("verified.example");
        const [first, second] = [await world.organization(name), await world.organization(name)];
        await api.groups.update(first, { verified: true });
        const repo = await push(`${name}/app`);
        await api.repos.delete(repo);
        const kept = await rejected(api.groups.update(first, { name: world.name("renamed") }));
        assert.deepEqual([kept.code, kept.violations], [9, ["RESOURCE_NOT_EMPTY"]]);
        await api.groups.delete(first);
        const taken = await rejected(api.groups.update(second, { verified: true }));
        assert.deepEqual([taken.code, taken.violations], [9, ["NAME_TAKEN"]]);
        await emptied(`${name}/app`);
        assert.equal((await api.groups.update(second, { verified: true })).verified, true);
      },
    );

    world.rule("after the last image, a rename leaves nothing at the old path", async (api) => {
      const name = world.name("team");
      const path = `${orgName}/${name}/app`;
      const repo = await push(path);
      const { tags } = await api.tags.list({ uidp: { childrenOf: repo } });
      await api.tags.delete(tags[0].uid);
      await api.groups.update(parentOf(repo), { name: world.name("renamed") });
      const again = await push(path);
      assert.notEqual(again, repo);
      const { reader } = replica.store;
      assert.equal((await findLocation(reader, HOST, path))?.repo, again);
    });

    world.rule("no repo takes the path of one in a folder", async (api) => {
      const name = world.name("team");
      const repo = await push(`${orgName}/${name}/deep/app`);
      const renamable = await api.repos.create(org, { name: world.name("other") });
      const names = [`${name}/deep/app`, "deep/app"] as const;
      const denials = await allRejected([
        api.repos.create(org, { name: names[0] }),
        api.repos.update(renamable.uid, { name: names[0] }),
        api.repos.create(parentOf(parentOf(repo)), { name: names[1] }),
      ]);
      for (const { code } of denials) assert.equal(code, 6);
      assert.ok(await api.repos.create(org, { name: `${name}/deep/other` }));
    });

    test("of a rename and a push at the same time, the later one follows the earlier", async () => {
      const api = world.operator();
      for (let round = 0; round < 12; round++) {
        const [name, renamed] = [world.name("team"), world.name("renamed")];
        const folder = await world.group(org, name);
        const { uid } = await api.repos.create(folder, { name: "app" });
        const path = `${orgName}/${name}/app`;
        const [pushed, rename] = await Promise.all([
          push(path),
          api.groups.update(folder, { name: renamed }).then(
            () => true,
            () => false,
          ),
        ]);
        assert.equal(pushed === uid, !rename, "renamed, or the repo got the image");
        const { engine } = replica;
        assert.equal((await resolvePath(engine.catalog, engine.store.reader, path))?.repo, pushed);
      }
    });
  },
  { flags: ["--registries", HOST] },
);

const MANIFEST = {
  digest: digest(7),
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  kind: "image",
  architecture: "amd64",
  size: 7,
  children: [],
  subject: "",
  configDigest: digest(8),
  pushed: 1,
} as const;
