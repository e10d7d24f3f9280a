import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Ran, skopeo, TestRegistry } from "./support/registry/distribution.ts";
import { basic, OciClient, sha256 } from "./support/registry/oci-client.ts";
import { writeImage } from "./support/registry/oci-image.ts";
import { NAME, REMOTE, UpstreamWorld } from "./support/registry/upstream-world.ts";
import { freePort } from "./support/server/free-port.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

const worked = ({ ok, output }: Ran) => assert.ok(ok, output);

describe("real clients at a cache of CNCF Distribution", () => {
  let world: World;
  let upstream: World;
  let registry: TestRegistry;
  const folder = scratchFolder("wharf-upstream-");
  const authfile = join(folder, "auth.json");
  let host: string;
  let digest: string;
  before(async () => {
    const remote = `127.0.0.1:${await freePort()}`;
    upstream = await World.start({ registry: remote, flags: ["--registry-storage", "off"] });
    registry = await TestRegistry.start(upstream.server.url, remote);
    digest = writeImage(join(folder, "image"), "3.20", "hello", ["amd64", "arm64"]);
    const pusher = await upstream.registry.holder("pusher", "registry.push");
    const password = await upstream.registry.token(pusher);
    const dest = ["--dest-tls-verify=false", "--dest-creds", `_token:${password}`];
    const from = `oci:${join(folder, "image")}:3.20`;
    worked(await skopeo("copy", "--all", ...dest, from, `docker://${remote}/acme/alpine:3.20`));

    host = `127.0.0.1:${await freePort()}`;
    world = await World.start({ registry: host, flags: ["--listen", host] });
    const { organization } = world.registry;
    const hub = await world.group(organization, "hub");
    await world.operator().upstreams.create(hub, {
      ...{ url: `http://${remote}`, mode: "UPSTREAM_MODE_CACHE" },
      ...{ username: "_token", password },
    });
    const puller = await world.registry.holder("puller", "registry.pull");
    const login = ["login", "--tls-verify=false", "--authfile", authfile, "-u", "_token"];
    worked(await skopeo(...login, "-p", await world.registry.token(puller), host));
  });
  after(async () => {
    await world.stop();
    await registry.stop();
    await upstream.stop();
  });

  test("skopeo pulls all platforms, also when the upstream is gone", async () => {
    const image = `docker://${host}/acme/hub/acme/alpine`;
    const pull = async (reference: string) => {
      const target = mkdtempSync(join(folder, "pulled-"));
      const tls = ["--src-tls-verify=false", "--authfile", authfile, "--preserve-digests"];
      worked(await skopeo("copy", "--all", ...tls, `${image}${reference}`, `dir:${target}`));
      assert.equal(`sha256:${sha256Of(join(target, "manifest.json"))}`, digest);
    };
    await pull(":3.20");
    await registry.down();
    await pull(":3.20");
    await pull(`@${digest}`);
  });

  test("mirrors of containerd name the registry in the query", async () => {
    const puller = await world.registry.holder("containerd", "registry.pull");
    const client = new OciClient(
      world.server.url,
      basic("_token", await world.registry.token(puller)),
    );
    const path = `/v2/acme/hub/acme/alpine/manifests/3.20?ns=docker.io`;
    assert.equal((await client.get(path)).headers["docker-content-digest"], digest);
    assert.equal((await client.send("HEAD", path)).status, 200);
  });
});

function sha256Of(path: string): string {
  return sha256(readFileSync(path)).slice("sha256:".length);
}

describe("a cache with two replicas", () => {
  let world: UpstreamWorld;
  let other: TestServer;
  let replica: OciClient;
  before(async () => {
    const storage = ["--registry-storage", scratchFolder("wharf-content-")];
    const flags = ["--base-url", "http://wharf.test", ...storage];
    let same: string[] = [];
    world = await UpstreamWorld.start({ store: "postgres" }, (origins) => {
      same = [...flags, "--private-sinks", origins];
      return same;
    });
    same = [...same, "--registry-host", "registry.test"];
    other = await TestServer.start({ sameStoreAs: world.world.server, flags: same });
    const puller = await world.world.registry.holder("replica", "registry.pull");
    replica = new OciClient(other.url, `Bearer ${await world.world.server.token(puller)}`);
    await world.add();
  });
  after(async () => {
    assert.equal(await other.stop(), 0);
    await world.stop();
  });

  test("asks the upstream once for each digest", async () => {
    const { layer } = await world.pusher.image(REMOTE, "1.0", "z".repeat(2 * 1024 * 1024));
    const pull = async (path: string) => {
      const clients = [world.puller, replica, world.puller, replica];
      return Promise.all(clients.map((client) => client.get(path)));
    };
    // The first request of a process is answered with a challenge.
    for (const client of [world.puller, replica]) {
      assert.equal((await client.get(`/v2/${NAME}/manifests/none`)).status, 404);
    }
    world.paths();
    for (const { status } of await pull(`/v2/${NAME}/manifests/1.0`)) assert.equal(status, 200);
    for (const { bytes } of await pull(`/v2/${NAME}/blobs/${layer}`))
      assert.equal(sha256(bytes), layer);
    const requests = world.paths().filter((one) => one.startsWith("GET"));
    assert.equal(new Set(requests).size, requests.length, requests.join("\n"));
  });
});
