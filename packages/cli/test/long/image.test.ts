/** The image that `npm run image` writes: pushed to a registry that Wharf governs, pulled from it, and run. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import manifest from "../../../../package.json" with { type: "json" };
import { skopeo } from "../../../server/test/support/registry/distribution.ts";
import { freePort } from "../../../server/test/support/server/free-port.ts";
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";
import { TrackedRegistry } from "../../../server/test/support/world/tracked-registry.ts";
import { BUILD_ENVIRONMENT, ROOT, run, serve, worked } from "../support/release.ts";

const { version } = manifest;

/** The image's user. */
const USER = "65532";

describe("the container image", () => {
  const scratch = scratchFolder("wharf-image-");
  const layout = join(scratch, "layout");
  const source = `oci:${layout}:${version}`;
  const blob = (digest: string, folder = layout) =>
    JSON.parse(readFileSync(join(folder, "blobs", digest.replace(":", "/")), "utf8"));
  let tracked: TrackedRegistry;
  before(async () => {
    tracked = await TrackedRegistry.start({ flags: ["--reconcile-minutes", "0"] });
    const script = join(ROOT, "scripts/image/main.ts");
    worked(await run(process.execPath, [script, layout], { env: BUILD_ENVIRONMENT }));
  });
  after(() => tracked.stop());

  const indexDigest = () =>
    JSON.parse(readFileSync(join(layout, "index.json"), "utf8")).manifests[0].digest as string;

  test("runs as a user, on a root that is only read, and says what it is", () => {
    const { manifests, annotations } = blob(indexDigest());
    assert.deepEqual(
      manifests.map(({ platform }: { platform: object }) => platform),
      [
        { architecture: "amd64", os: "linux" },
        { architecture: "arm64", os: "linux" },
      ],
    );
    assert.equal(annotations["org.opencontainers.image.version"], version);
    for (const { digest } of manifests) {
      const image = blob(blob(digest).config.digest);
      assert.equal(image.config.User, `${USER}:${USER}`);
      assert.deepEqual(image.config.Healthcheck.Test, ["CMD", "/usr/bin/wharf", "health"]);
      assert.match(image.config.Labels["wharf.debian-packages"], /libc6 \S+, .*libstdc\+\+6 \S+/);
      assert.equal(image.rootfs.diff_ids.length, 3);
    }
  });

  test("is pushed to a registry behind Wharf and pulled from it unchanged", async () => {
    const { world, registry } = tracked;
    const pusher = await world.registry.holder("pusher", "registry.push");
    const pushed = await tracked.push(pusher, source, "acme/wharf:1");
    assert.ok(pushed.ok, pushed.output);
    await tracked.tagged("wharf", "1", indexDigest());
    const pulled = join(scratch, "pulled");
    const credentials = ["--src-creds", `_token:${await world.registry.token(pusher)}`];
    const image = `docker://${registry.host}/acme/wharf:1`;
    const flags = ["--all", "--src-tls-verify=false", ...credentials];
    const copied = await skopeo("copy", ...flags, image, `oci:${pulled}:1`);
    assert.ok(copied.ok, copied.output);
    const { manifests } = JSON.parse(readFileSync(join(pulled, "index.json"), "utf8"));
    assert.equal(manifests[0].digest, indexDigest());
  });

  test("starts and serves, with nothing of this machine", async () => {
    const root = await unpacked();
    const data = mkdtempSync(join(scratch, "data-"));
    worked(await run("chown", [`${USER}:${USER}`, data]));
    const listen = `127.0.0.1:${await freePort()}`;
    // A namespace of its own, as a container has: the root is only read, and only /data and /tmp can be written.
    const script = `set -e
mount --bind "$1" "$1"
mount --bind "$2" "$1/data"
for folder in dev proc; do mount --rbind "/$folder" "$1/$folder"; done
mount -t tmpfs tmpfs "$1/tmp"
mount -o remount,bind,ro "$1"
shift 2
exec chroot --userspec=${USER}:${USER} "$@"`;
    const inside = (...words: string[]) => [
      ...["--mount", "--ipc", "--uts", "sh", "-c", script, "sh", root, data, root],
      ...["/usr/bin/wharf", ...words],
    ];
    const env = { WHARF_DATA: "/data", WHARF_LISTEN: listen, HOME: "/data", TMPDIR: "/tmp" };
    const server = await serve("unshare", inside("serve", "--workers", "2"), env);
    try {
      const health = await run("unshare", inside("health", "--api", server.url), { env });
      assert.equal(worked(health), "");
      assert.equal((await fetch(`${server.url}/console/`)).status, 200);
      const token = worked(await run("unshare", inside("admin", "token"), { env })).trim();
      const more = { ...env, WHARF_TOKEN: token, WHARF_API: server.url };
      const create = inside("iam", "organizations", "create", "acme", "-o", "json");
      assert.match(worked(await run("unshare", create, { env: more })), /"name": "acme"/);
    } finally {
      assert.equal(await server.stop(), 0);
    }
    const health = await run("unshare", inside("health", "--api", server.url), { env });
    assert.equal(health.code, 7, health.stderr);
  });

  /** The files of the image for this machine. */
  async function unpacked(): Promise<string> {
    const architecture = process.arch === "x64" ? "amd64" : process.arch;
    const folder = join(scratch, "unpacked");
    const copied = await skopeo("copy", "--override-arch", architecture, source, `dir:${folder}`);
    assert.ok(copied.ok, copied.output);
    const { layers } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    const root = join(scratch, "root");
    mkdirSync(root);
    for (const { digest } of layers) {
      const layer = join(folder, digest.replace("sha256:", ""));
      worked(await run("tar", ["-xzf", layer, "--numeric-owner", "-C", root]));
    }
    return root;
  }
});
