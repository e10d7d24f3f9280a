import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { ImagesService } from "@wharf/contract";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { closeGrpc } from "./support/client/grpc.ts";
import { MANIFEST, RegistryStorage, type StoredImage } from "./support/registry/storage.ts";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

interface ShownImage {
  readonly digest: string;
  readonly kind: string;
  readonly tags?: readonly string[];
  readonly size: string;
  readonly subject?: string;
  readonly children?: readonly string[];
  readonly pushTime: string;
  readonly pullTime?: string;
}

for (const store of STORES) {
  describe(`the images of a repo, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let storage: RegistryStorage;
    let repo: string;
    const images: Record<string, StoredImage> = {};
    before(async () => {
      const flags = ["--reconcile-minutes", "0"];
      tracked = await TrackedRegistry.start({ store, flags });
      storage = new RegistryStorage(tracked.registry.storage);
      images.plain = storage.image("plain");
      images.index = storage.index("index", ["amd64", "arm64"]);
      images.loose = storage.image("loose");
      images.signature = storage.attachment("signature", images.plain);
      storage.tag("acme/app", "one", images.plain);
      storage.tag("acme/app", "two", images.plain);
      storage.tag("acme/app", "all", images.index);
      await tracked.reconcile();
      repo = (await tracked.repo("app")) as string;
      for (const name of ["loose", "signature"]) {
        const { digest } = images[name] as StoredImage;
        storage.put("acme/app", images[name] as StoredImage);
        const target = { repository: "acme/app", mediaType: MANIFEST, digest };
        const timestamp = new Date(Date.now() + 1_000).toISOString();
        const event = { id: randomUUID(), timestamp, action: "push", target };
        assert.equal((await tracked.notify([{ ...event, request: {}, actor: {} }])).status, 200);
      }
    });
    after(async () => {
      closeGrpc();
      await tracked.stop();
    });

    const api = async (protocol: ApiClient["protocol"], identity = OPERATOR_UID) => {
      const { server, signer } = tracked.world;
      return new ApiClient({ url: server.url, token: await signer.token(identity), protocol });
    };
    const digestOf = (name: string) => (images[name] as StoredImage).digest;
    const list = async (filter: object = {}, protocol: ApiClient["protocol"] = "REST") => {
      const found = await (await api(protocol)).images.list({ repoUid: repo, ...filter });
      return found.images as ShownImage[];
    };

    const protocol = store === "sqlite" ? "gRPC" : "REST";
    test(`are listed with tags, times and what they refer to, over ${protocol}`, async () => {
      const all = await list({}, protocol);
      assert.equal(all.length, 6, "with those of the index");
      const times = all.map(({ pushTime }) => pushTime);
      assert.deepEqual(times, times.toSorted().reverse(), "the last push first");
      const plain = all.find(({ digest }) => digest === digestOf("plain"));
      assert.deepEqual(plain?.tags, ["one", "two"]);
      assert.equal(plain?.kind, "IMAGE_KIND_IMAGE");
      assert.equal(Number(plain?.size), images.plain?.size);
      const index = all.find(({ digest }) => digest === digestOf("index"));
      assert.deepEqual([index?.kind, index?.children?.length], ["IMAGE_KIND_INDEX", 2]);
      const untagged = await list({ untagged: true }, protocol);
      assert.deepEqual(
        untagged.map(({ digest }) => digest),
        [digestOf("loose")],
      );
      const referrers = await list({ subject: digestOf("plain") }, protocol);
      assert.deepEqual(
        referrers.map(({ digest, subject, kind }) => [digest, subject, kind]),
        [[digestOf("signature"), digestOf("plain"), "IMAGE_KIND_ARTIFACT"]],
      );
      const { locations } = await (await api(protocol)).images.listImageLocations({
        repoUid: repo,
      });
      assert.deepEqual(locations, [
        { host: tracked.registry.host, path: "acme/app", attached: true },
      ]);
    });

    test(`are found by digest, and show their manifests, over ${protocol}`, async () => {
      const wanted = [digestOf("plain"), digestOf("index"), `sha256:${"0".repeat(64)}`];
      const found = (await list({ digests: wanted }, protocol)).map(({ digest }) => digest);
      assert.deepEqual(found.toSorted(), wanted.slice(0, 2).toSorted());
      const client = await api(protocol);
      const manifest = (name: string) =>
        client.call(ImagesService, "GetImageManifest", { repoUid: repo, digest: digestOf(name) });
      const plain = await manifest("plain");
      const { config, layers } = plain;
      assert.equal(Number(config.size) + Number(layers[0].size), images.plain?.size);
      assert.deepEqual([plain.digest, layers.length], [digestOf("plain"), 1]);
      const platforms = (await manifest("index")).manifests;
      assert.deepEqual(
        platforms.map(({ os, architecture }: Record<string, string>) => [os, architecture]),
        [
          ["linux", "amd64"],
          ["linux", "arm64"],
        ],
      );
      const signature = await manifest("signature");
      assert.equal(signature.subject, digestOf("plain"));
      assert.equal(signature.artifactType, "application/vnd.oci.empty.v1+json");
      const missing = { repoUid: repo, digest: `sha256:${"0".repeat(64)}` };
      assert.equal(
        (await rejected(client.call(ImagesService, "GetImageManifest", missing))).code,
        5,
      );
    });

    test("are listed page by page", async () => {
      const client = await api("REST");
      const seen: string[] = [];
      for (let pageToken: string | undefined = ""; pageToken !== undefined; ) {
        const page = await client.images.list({ repoUid: repo, pageSize: 4, pageToken });
        seen.push(...page.images.map(({ digest }: ShownImage) => digest));
        pageToken = page.nextPageToken || undefined;
      }
      const all = (await list()).map(({ digest }) => digest);
      assert.deepEqual(seen, all);
      const first = await client.images.list({ repoUid: repo, pageSize: 1 });
      const other = { repoUid: repo, untagged: true, pageToken: first.nextPageToken };
      assert.deepEqual(Object.keys((await rejected(client.images.list(other))).fields), [
        "pageToken",
      ]);
    });

    test("have the time of the last pull", async () => {
      const puller = await tracked.world.registry.holder("puller", "registry.pull");
      const { ok, output } = await tracked.pull(puller, "acme/app:one");
      assert.ok(ok, output);
      const pulled = await until(async () => {
        const plain = (await list()).find(({ digest }) => digest === digestOf("plain"));
        return plain?.pullTime;
      });
      assert.ok(Math.abs(Date.parse(pulled) - Date.now()) < 60_000);
    });

    test("are listed and deleted by those who may", async () => {
      const { world } = tracked;
      const viewer = await api("REST", await world.registry.holder("viewer", "viewer"));
      const stranger = await api("REST", await world.registry.identity("stranger"));
      const request = { repoUid: repo, digest: digestOf("plain") };
      assert.ok((await viewer.images.list({ repoUid: repo })).images.length > 0);
      const errors = await allRejected([
        viewer.call(ImagesService, "DeleteImage", request),
        stranger.images.list({ repoUid: repo }),
        stranger.images.listImageLocations({ repoUid: repo }),
        stranger.call(ImagesService, "GetImageManifest", request),
        stranger.call(ImagesService, "DeleteImage", request),
      ]);
      for (const { code } of errors) assert.equal(code, 7);
      const operator = await api("REST");
      const missing = { repoUid: repo, digest: `sha256:${"0".repeat(64)}` };
      assert.equal((await rejected(operator.call(ImagesService, "DeleteImage", missing))).code, 5);
      const unknown = { repoUid: `${world.registry.organization}/${"0".repeat(16)}` };
      assert.equal((await rejected(operator.images.list(unknown))).code, 5);
      const nowhere = { ...unknown, digest: digestOf("plain") };
      assert.equal((await rejected(operator.call(ImagesService, "DeleteImage", nowhere))).code, 5);
    });

    test("are deleted in the registry with their tags", async () => {
      const pusher = await tracked.world.registry.holder("pusher", "registry.push");
      const client = await api("gRPC", pusher);
      for (const name of ["plain", "index"]) {
        await client.call(ImagesService, "DeleteImage", { repoUid: repo, digest: digestOf(name) });
      }
      assert.deepEqual(await tracked.tags(repo), []);
      const left = (await list()).map(({ digest }) => digest);
      assert.ok(!left.includes(digestOf("plain")) && !left.includes(digestOf("index")));
      await tracked.reconcile();
      assert.deepEqual(await tracked.tags(repo), []);
      const creds = await tracked.skopeo("inspect", pusher, `acme/app@${digestOf("plain")}`);
      assert.ok(!creds.ok, "the registry has deleted it");
      const [row] = await tracked.rows<{ actor: string }>(
        `SELECT actor FROM audit WHERE resource = '${repo}' AND detail LIKE '%${digestOf("index")}%'
         AND method LIKE '%DeleteImage'`,
      );
      assert.equal(row?.actor, pusher);
    });

    test("stay where no attached registry has the repo", async () => {
      const { http } = tracked.world;
      const { organization } = tracked.world.registry;
      const { body } = await http.post(`/registry/v2beta1/repos/${organization}`, {
        name: "apart",
      });
      const request = { repoUid: body.uid, digest: digestOf("loose") };
      const error = await rejected((await api("REST")).call(ImagesService, "DeleteImage", request));
      assert.deepEqual([error.code, error.violations], [9, ["NO_REGISTRY"]]);
    });
  });
}
