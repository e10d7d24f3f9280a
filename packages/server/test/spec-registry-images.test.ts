import assert from "node:assert/strict";
import { after, before } from "node:test";
import { recordManifest } from "../src/registry/ingest/manifest-state.ts";
import type { Manifest } from "../src/store/tables/registry/manifests.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { digest } from "./support/registry/oci-image.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const [INDEX, AMD, ARM, UNNAMED, ATTESTED, CHART, MISSING] = [1, 2, 3, 4, 5, 6, 7].map(digest) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

function facts(of: string, more: Partial<Manifest>): Omit<Manifest, "pulled"> {
  return {
    digest: of,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    kind: "image",
    architecture: "",
    size: 0,
    children: [],
    subject: "",
    configDigest: "",
    pushed: 1_000,
    ...more,
  };
}

onEachStore("images", (world) => {
  let direct: DirectStore;
  let org: string;
  let repo: string;
  before(async () => {
    direct = await DirectStore.open(world.server);
    org = await world.organization();
    repo = (await world.operator().repos.create(org, { name: "nginx" })).uid;
    const children = [
      { digest: AMD, architecture: "amd64" },
      { digest: ARM, architecture: "" },
      { digest: ATTESTED, architecture: "unknown" },
      { digest: MISSING, architecture: "s390x" },
    ];
    for (const one of [
      facts(INDEX, { kind: "index", children, size: 0 }),
      facts(AMD, { architecture: "amd64", size: 5_000_000_000 }),
      facts(ARM, { architecture: "arm64", size: 41 }),
      facts(UNNAMED, { kind: "index", children: [{ digest: ARM, architecture: "arm64" }] }),
      facts(ATTESTED, { kind: "other", size: 7 }),
      facts(CHART, { kind: "other", size: 9 }),
    ]) {
      await direct.change((change) => recordManifest(change, repo, one));
    }
  });
  after(() => direct.close());

  world.rule("an index has the architectures of its images", async (api) => {
    const of = async (digest: string) =>
      (await api.images.getArchitectures({ repoUid: repo, digest })).architectures;
    assert.deepEqual(await of(INDEX), ["amd64", "arm64", "s390x"]);
    assert.deepEqual(await of(ARM), ["arm64"]);
    assert.deepEqual(await of(CHART), []);
  });

  world.rule("the size is per architecture", async (api) => {
    const amd64 = { size: "5000000000", architecture: "amd64" };
    assert.deepEqual(await api.images.getSize({ repoUid: repo, digest: INDEX }), amd64);
    assert.deepEqual(
      await api.images.getSize({ repoUid: repo, digest: INDEX, architecture: "amd64" }),
      amd64,
    );
    const arm64 = { size: "41", architecture: "arm64" };
    assert.deepEqual(
      await api.images.getSize({ repoUid: repo, digest: INDEX, architecture: "arm64" }),
      arm64,
    );
    assert.deepEqual(await api.images.getSize({ repoUid: repo, digest: ARM }), arm64);
    assert.deepEqual(await api.images.getSize({ repoUid: repo, digest: CHART }), {
      size: "9",
      architecture: "",
    });
  });

  world.rule("an unknown image is not found", async (api) => {
    const nothing = `Image ${repo}@${MISSING}`;
    const calls = [
      api.images.getArchitectures({ repoUid: repo, digest: MISSING }),
      api.images.getSize({ repoUid: repo, digest: MISSING }),
    ];
    for (const refusal of await allRejected(calls)) {
      assert.deepEqual([refusal.code, refusal.missing], [5, nothing]);
    }
    const cases: [string, string][] = [
      [INDEX, "riscv64"],
      [INDEX, "s390x"],
      [ARM, "amd64"],
    ];
    for (const [digest, architecture] of cases) {
      const refusal = await rejected(api.images.getSize({ repoUid: repo, digest, architecture }));
      const missing = `Image ${repo}@${digest} for ${architecture}`;
      assert.deepEqual([refusal.code, refusal.missing], [5, missing]);
    }
    const amd64 = await rejected(api.images.getSize({ repoUid: repo, digest: UNNAMED }));
    assert.equal(amd64.missing, `Image ${repo}@${UNNAMED} for amd64`);
    const elsewhere = (await api.repos.create(org, { name: world.name("repo") })).uid;
    assert.equal(
      (await rejected(api.images.getSize({ repoUid: elsewhere, digest: INDEX }))).code,
      5,
    );
  });

  world.rule("malformed digests are rejected", async (api) => {
    const calls = [
      api.images.getArchitectures({ repoUid: repo, digest: "latest" }),
      api.images.getSize({ repoUid: repo, digest: "sha256:0" }),
    ];
    for (const { code, fields } of await allRejected(calls)) {
      assert.deepEqual([code, Object.keys(fields)], [3, ["digest"]]);
    }
  });

  world.rule("both capabilities are required", async (api) => {
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    assert.equal((await viewer.images.getSize({ repoUid: repo, digest: ARM })).size, "41");
    for (const one of ["repo.list", "manifest.metadata.list"]) {
      const { token } = await world.member({ [org]: [one] });
      assert.equal(
        (await rejected(api.as(token).images.getSize({ repoUid: repo, digest: ARM }))).code,
        7,
      );
      assert.equal(
        (await rejected(api.as(token).images.getArchitectures({ repoUid: repo, digest: ARM })))
          .code,
        7,
      );
    }
  });
});
