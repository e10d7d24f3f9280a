import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { registryV1 } from "@wharf/contract/v1";
import { recordManifest } from "../src/registry/ingest/manifest-state.ts";
import { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { closeGrpc } from "./support/client/grpc.ts";
import { digest as digestOf } from "./support/registry/oci-image.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

/** The runtime configuration that builders write; values of the wrong type count as unset. */
const RUN = {
  User: "65532",
  ExposedPorts: { "8080/tcp": {}, "443/tcp": {} },
  Env: ["PATH=/usr/bin", "LANG=C.UTF-8", 7],
  Entrypoint: ["/usr/bin/nginx"],
  Cmd: ["-g", "daemon off;"],
  Volumes: { "/data": {} },
  WorkingDir: "/work",
  Labels: { "org.opencontainers.image.title": "nginx", odd: 1 },
  StopSignal: "SIGQUIT",
};

const SHOWN = {
  user: "65532",
  exposedPorts: { "443/tcp": {}, "8080/tcp": {} },
  env: ["PATH=/usr/bin", "LANG=C.UTF-8"],
  entrypoint: ["/usr/bin/nginx"],
  cmd: ["-g", "daemon off;"],
  volumes: { "/data": {} },
  workingDir: "/work",
  labels: { "org.opencontainers.image.title": "nginx" },
  stopSignal: "SIGQUIT",
};

for (const store of STORES) {
  describe(`v1 images in a real registry, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let token: string;
    let repoId: string;
    let digest: string;
    before(async () => {
      tracked = await TrackedRegistry.start({ store, flags: ["--reconcile-minutes", "0"] });
      token = await tracked.world.server.token();
      const pusher = await tracked.world.registry.holder("pusher", "registry.push");
      const run = (architecture: string) => {
        return architecture === "amd64" ? RUN : { User: "of another machine" };
      };
      const image = tracked.image(["amd64", "arm64"], run);
      ({ digest } = image);
      const { ok, output } = await tracked.push(pusher, image.source, "acme/nginx:1.0");
      assert.ok(ok, output);
      await tracked.tagged("nginx", "1.0", digest);
      repoId = (await tracked.repo("nginx")) as string;
    });
    after(async () => {
      closeGrpc();
      await tracked.stop();
    });

    let rules = 0;
    /** As `world.rule`: each over one protocol on SQLite, and over the other on PostgreSQL. */
    const rule = (title: string, check: (api: ApiClient) => Promise<void>) => {
      const isTurned = rules++ % 2 === 1;
      const protocol = (store === "sqlite") === isTurned ? "gRPC" : "REST";
      test(`${title} (${protocol})`, () => {
        return check(new ApiClient({ protocol, url: tracked.world.server.url, token }));
      });
    };
    const ask = (api: ApiClient, method: string, more: object = {}) => {
      return api.v1.call(registryV1.Registry, method, { repoId, digest, ...more });
    };

    rule("return the image configuration", async (api) => {
      assert.deepEqual(await ask(api, "GetImageConfig"), SHOWN);
      assert.deepEqual(await ask(api, "GetImageConfig", { arch: "amd64" }), SHOWN);
      const arm = await ask(api, "GetImageConfig", { arch: "arm64" });
      assert.deepEqual([arm.user, arm.env, arm.labels], ["of another machine", [], {}]);
    });

    rule("return architectures and sizes as v2 does", async (api) => {
      assert.deepEqual(await ask(api, "GetArchs"), { archs: ["amd64", "arm64"] });
      const { size } = await api.images.getSize({ repoUid: repoId, digest, architecture: "arm64" });
      assert.deepEqual(await ask(api, "GetSize", { arch: "arm64" }), { size, arch: "arm64" });
      assert.equal((await ask(api, "GetSize")).arch, "amd64");
    });

    test("return the same in v2, with the architecture", async () => {
      const path = `/registry/v2beta1/repos/${repoId}/digests/${digest}/config`;
      const { body } = await tracked.world.http.get(path);
      const exposedPorts = ["443/tcp", "8080/tcp"];
      const volumes = ["/data"];
      assert.deepEqual(body, { ...SHOWN, exposedPorts, volumes, architecture: "amd64" });
    });

    rule("have v1 field names in errors; unknown images are not found", async (api) => {
      for (const method of ["GetImageConfig", "GetArchs", "GetSize"] as const) {
        const missing = await rejected(ask(api, method, { digest: digestOf(9) }));
        assert.equal(missing.missing, `Image ${repoId}@${digestOf(9)}`);
        const malformed = await rejected(ask(api, method, { digest: "sha256:x" }));
        assert.deepEqual([malformed.code, Object.keys(malformed.fields)], [3, ["digest"]]);
        const nowhere = await rejected(ask(api, method, { repoId: "nonsense" }));
        assert.deepEqual(Object.keys(nowhere.fields), ["repoId"]);
        const nobody = await rejected(ask(api.as(""), method));
        assert.equal(nobody.code, 16);
      }
      const other = await rejected(ask(api, "GetImageConfig", { arch: "s390x" }));
      assert.equal(other.missing, `Image ${repoId}@${digest} for s390x`);
    });

    rule("of a detached registry are unavailable", async (api) => {
      const name = `told-${api.protocol.toLowerCase()}`;
      const { uid } = await api.repos.create(tracked.world.registry.organization, { name });
      const direct = await DirectStore.open(tracked.world.server);
      const facts = {
        digest: digestOf(1),
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        kind: "image",
        architecture: "amd64",
        size: 1,
        children: [],
        subject: "",
        configDigest: digestOf(2),
        pushed: 1,
      } as const;
      await direct.change((change) => recordManifest(change, uid, facts));
      const chart = { ...facts, digest: digestOf(3), kind: "other" } as const;
      await direct.change((change) => recordManifest(change, uid, chart));
      await direct.close();
      const config = (image: string) => {
        return rejected(api.v1.registry.getImageConfig({ repoId: uid, digest: image }));
      };
      assert.deepEqual((await config(digestOf(1))).violations, ["NO_REGISTRY"]);
      const text = (await config(digestOf(3))).message;
      assert.equal(text, `Not found: ImageConfig "${uid}@${digestOf(3)}" does not exist`);
    });
  });
}
