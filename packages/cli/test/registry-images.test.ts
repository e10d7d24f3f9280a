import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RegistryStorage } from "../../server/test/support/registry/storage.ts";
import { TrackedRegistry } from "../../server/test/support/world/tracked-registry.ts";
import { wharf } from "./support/command.ts";

describe("images, tags and locations on the command line", () => {
  let tracked: TrackedRegistry;
  let storage: RegistryStorage;
  let env: Record<string, string>;
  before(async () => {
    tracked = await TrackedRegistry.start({ flags: ["--reconcile-minutes", "0"], notifies: false });
    storage = new RegistryStorage(tracked.registry.storage);
    const { server } = tracked.world;
    env = { WHARF_API: server.url, WHARF_TOKEN: await server.token() };
  });
  after(() => tracked.stop());

  const run = (...args: string[]) => wharf(args, { env });
  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    return { stdout, stderr };
  };
  const found = async (name: string, ...tags: string[]) => {
    const index = storage.index(name, ["amd64", "arm64"]);
    for (const tag of tags) storage.tag(`acme/${name}`, tag, index);
    await tracked.reconcile();
    return index.digest;
  };

  test("lists images and where they are", async () => {
    const digest = await found("listed", "1", "latest");
    const { stdout } = await ok("images", "list", "--repo", "acme/listed");
    assert.match(stdout, /^DIGEST +KIND +ARCHITECTURE +SIZE +TAGS +PUSHED +PULLED$/m);
    assert.match(stdout, new RegExp(`^${digest.slice(7, 19)} +index +1, latest +20`, "m"));
    assert.match(stdout, / image +arm64 +\d+(\.\d)? k?B /);
    const untagged = ["images", "list", "--repo", "acme/listed", "--untagged", "-o", "id"];
    assert.equal((await ok(...untagged)).stdout, "");
    const { stdout: locations } = await ok("repos", "locations", "acme/listed");
    assert.match(locations, new RegExp(`^${tracked.registry.host} +acme/listed +yes$`, "m"));
  });

  test("creates, shows and deletes tags", async () => {
    const first = await found("tagged", "1");
    const second = storage.image("second");
    storage.tag("acme/tagged", "2", second);
    await tracked.reconcile();
    const created = await ok("tags", "create", "acme/tagged:stable", "--from", "1", "-o", "json");
    assert.equal(JSON.parse(created.stdout).digest, first);
    await ok("tags", "create", "acme/tagged:stable", "--digest", second.digest);
    const { stdout } = await ok("tags", "history", "acme/tagged:stable", "-o", "id");
    assert.deepEqual(stdout.trim().split("\n"), [second.digest, first]);
    const both = await run("tags", "create", "acme/tagged:x");
    assert.deepEqual([both.code, /either --digest or --from/.test(both.stderr)], [2, true]);
    const kept = await run("tags", "delete", "acme/tagged:stable", "-y");
    assert.equal(kept.code, 6, kept.stderr);
    assert.match(kept.stderr, /cannot delete a tag without its image/);
    storage.untag("acme/tagged", "stable");
    await ok("tags", "delete", "acme/tagged:stable", "-y");
    const { stdout: left } = await ok("tags", "list", "--repo", "acme/tagged", "-o", "json");
    const names = JSON.parse(left).items.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ["1", "2"]);
  });

  test("deletes images with their tags", async () => {
    const digest = await found("cleaned", "1");
    const { code, stderr } = await run("images", "delete", "acme/cleaned", "-y");
    assert.deepEqual([code, /must be REPO@DIGEST/.test(stderr)], [2, true]);
    const deleted = await ok("images", "delete", `acme/cleaned@${digest}`, "-y");
    assert.match(deleted.stderr, /deleted cleaned@sha256:/);
    assert.equal((await ok("tags", "list", "--repo", "acme/cleaned", "-o", "id")).stdout, "");
    const again = await run("images", "delete", `acme/cleaned@${digest}`, "-y");
    assert.equal(again.code, 1);
    assert.match(again.stderr, /is not deleted: .*does not exist/);
  });

  test("says that images stay when their repo is deleted", async () => {
    await found("stays", "1");
    const { stderr } = await ok("repos", "delete", "acme/stays", "-y");
    const at = `${tracked.registry.host}/acme/stays`;
    assert.ok(stderr.includes(`its images stay at ${at}`), stderr);
    await tracked.reconcile();
    assert.equal(await tracked.repo("stays"), undefined);
  });

  test("deletes a repo with its images", async () => {
    const digest = await found("goes", "1", "2");
    const { stderr } = await ok("repos", "delete", "acme/goes", "--images", "-y");
    assert.equal(stderr.match(/deleted goes@sha256:/g)?.length, 3);
    assert.match(stderr, /deleted repo goes$/m);
    await tracked.reconcile();
    assert.equal(await tracked.repo("goes"), undefined);
    const creds = await tracked.world.registry.holder("puller", "registry.pull");
    assert.ok(!(await tracked.skopeo("inspect", creds, `acme/goes@${digest}`)).ok);
  });

  test("keeps a repo whose images cannot be deleted", async () => {
    await found("kept", "1");
    await tracked.registry.down();
    const { code, stderr } = await run("repos", "delete", "acme/kept", "--images", "-y");
    await tracked.registry.up();
    assert.equal(code, 1);
    assert.match(stderr, /kept@sha256:\w+ is not deleted: .*cannot be read/);
    assert.match(stderr, /3 of 3 images are not deleted/);
    assert.ok(await tracked.repo("kept"));
  });
});
