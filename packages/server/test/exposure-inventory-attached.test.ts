/** The packages of images in attached registries: from documents alone, if these registries can be reached. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RegistryAvailability } from "../src/exposure/inventory/registry-availability.ts";
import { WorkPostponed } from "../src/exposure/work/worker.ts";
import { WharfError } from "../src/lib/errors.ts";
import type { Answer } from "./support/client/api-client.ts";
import { INDEX } from "./support/registry/oci-client.ts";
import { MANIFEST, RegistryStorage } from "./support/registry/storage.ts";
import { STORES } from "./support/server/test-server.ts";
import { payloadOf, SIMPLE_SIGNING } from "./support/signatures/signing.ts";
import { until } from "./support/until.ts";
import { ImageWorld, spdxOf } from "./support/world/image-world.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

const SPDX = "application/spdx+json";

for (const store of STORES) {
  describe(`images of an attached registry, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let storage: RegistryStorage;
    let images: ImageWorld;
    before(async () => {
      tracked = await TrackedRegistry.start({
        ...{ store, proxied: true, notifies: false },
        flags: ["--reconcile-minutes", "0"],
      });
      storage = new RegistryStorage(tracked.registry.storage);
      images = await ImageWorld.of(tracked.world);
    });
    after(() => tracked.stop());

    const tagOf = (digest: string) => digest.replace(":", "-");

    test("have no packages without SBOM: their layers are not read", async () => {
      const image = storage.image("plain", "arm64");
      storage.tag("acme/plain", "1", image);
      await tracked.reconcile();
      const read = await images.read("acme/plain", image.digest);
      assert.deepEqual(
        [read.state, read.reason, read.source, read.platform, read.tags],
        [3, "no_sbom", 0, "linux/arm64", 1],
      );
    });

    test("have the SBOM at the tag of cosign, until it is gone", async () => {
      const image = storage.image("cosign");
      storage.tag("acme/cosign", "1", image);
      const sbom = storage.document("text/spdx+json", spdxOf(["pkg:npm/attached@1"]));
      storage.tag("acme/cosign", `${tagOf(image.digest)}.sbom`, sbom);
      await tracked.reconcile();
      const read = await images.read("acme/cosign", image.digest);
      assert.deepEqual([read.state, read.source, read.packages], [2, 1, 1]);
      storage.untag("acme/cosign", `${tagOf(image.digest)}.sbom`);
      await tracked.reconcile();
      assert.equal((await images.read("acme/cosign", image.digest)).state, 3);
    });

    test("have the signatures at the tag of cosign, until it is gone", async () => {
      const image = storage.image("signed");
      storage.tag("acme/signed", "1", image);
      const signature = storage.document(SIMPLE_SIGNING, String(payloadOf(image.digest)));
      storage.tag("acme/signed", `${tagOf(image.digest)}.sig`, signature);
      const reasons = async () => {
        await tracked.reconcile();
        await images.settled();
        const named = { repoUid: await images.repo("acme/signed"), digest: image.digest };
        const { signatures } = await images.world.operator().signatures.listImageSignatures(named);
        return signatures.map(({ reason }: { reason: string }) => reason);
      };
      assert.deepEqual(await reasons(), ["no_keys"]);
      storage.untag("acme/signed", `${tagOf(image.digest)}.sig`);
      assert.deepEqual(await reasons(), []);
    });

    test("have the SBOM that the tag for referrers lists", async () => {
      const image = storage.image("fallback");
      storage.tag("acme/fallback", "1", image);
      const sbom = storage.document(SPDX, spdxOf(["pkg:npm/listed@1"]), image);
      storage.tag("acme/fallback", tagOf(image.digest), storage.repeated(sbom, MANIFEST, 1));
      await tracked.reconcile();
      const read = await images.read("acme/fallback", image.digest);
      assert.deepEqual([read.state, read.source, read.packages], [2, 1, 1]);
    });

    test("have the SBOM that the registry lists as a referrer", async () => {
      const image = storage.image("referrer");
      storage.tag("acme/referrer", "1", image);
      const sbom = storage.document(SPDX, spdxOf(["pkg:npm/referring@1"]), image);
      storage.put("acme/referrer", sbom);
      // This registry has no such lists.
      tracked.proxy.instead = ({ url }) => {
        if (!url.startsWith(`/v2/acme/referrer/referrers/${image.digest}`)) return undefined;
        const descriptor = { mediaType: MANIFEST, digest: sbom.digest, size: sbom.manifestSize };
        const body = { schemaVersion: 2, mediaType: INDEX, manifests: [descriptor] };
        return { status: 200, body: JSON.stringify(body) };
      };
      await tracked.reconcile();
      const read = await images.read("acme/referrer", image.digest);
      tracked.proxy.instead = () => undefined;
      assert.deepEqual([read.state, read.source, read.packages], [2, 1, 1]);
    });

    test("that the registry does not have are shown as such, and forgotten with it", async () => {
      const image = storage.image("gone");
      storage.tag("acme/gone", "1", image);
      tracked.proxy.instead = ({ url, headers }) =>
        // The pass reads the manifest of a new tag by the tag.
        url.endsWith(`/acme/gone/manifests/${image.digest}`) && headers.host
          ? { status: 404 }
          : undefined;
      await tracked.reconcile();
      const read = await images.read("acme/gone", image.digest);
      tracked.proxy.instead = () => undefined;
      assert.deepEqual([read.state, read.reason], [4, "unavailable"]);
      const repo = await images.repo("acme/gone");
      storage.remove("acme/gone");
      await tracked.reconcile();
      await images.settled();
      const rows = await images.rows(`SELECT 1 FROM exposure_images WHERE repo = '${repo}'`);
      assert.deepEqual(rows, []);
    });

    test("that cannot be reached do not delay others", async () => {
      const image = storage.image("unreachable");
      storage.tag("acme/unreachable", "1", image);
      tracked.proxy.instead = ({ url }) =>
        url.includes("/acme/unreachable/referrers/") ? { status: 503 } : undefined;
      await tracked.reconcile();
      const other = await images.push("acme/own", "1", "no file system");
      await images.attach("acme/own", other.digest, SPDX, spdxOf(["pkg:npm/own@1"]));
      const keys = (await waiting()).map(({ kind, key }) => [kind, key.endsWith(image.digest)]);
      assert.deepEqual(keys.sort(), [
        ["image", true],
        ["signatures", true],
      ]);
      const own = await images.find("acme/own", other.digest);
      assert.deepEqual([own?.state, own?.packages], [2, 1]);
      assert.equal((await images.find("acme/unreachable", image.digest))?.state, 1);
      tracked.proxy.instead = () => undefined;
    });

    test("wait visibly until they were read, those of an index as well", async () => {
      const [image, index] = [storage.image("slow"), storage.index("slow", ["amd64", "arm64"])];
      tracked.proxy.instead = ({ url }) =>
        url.includes("/acme/slow/referrers/") ? { status: 503 } : undefined;
      storage.tag("acme/slow", "1", image);
      storage.tag("acme/slow", "2", index);
      await tracked.reconcile();
      const api = tracked.world.operator();
      const repoUid = await images.repo("acme/slow");
      const waiting = "INVENTORY_STATE_WAITING";
      const { platforms } = await api.inventory.getImageInventory({
        repoUid,
        digest: index.digest,
      });
      assert.deepEqual(
        platforms.map(({ platform, state }: Answer) => [platform, state]),
        [
          ["linux/amd64", waiting],
          ["linux/arm64", waiting],
        ],
      );
      const listed = await api.inventory.listImagePackages({ repoUid, digest: image.digest });
      assert.deepEqual([listed.state, listed.packages], [waiting, []]);
      const request = { fromRepoUid: repoUid, from: "1", to: "2" };
      const difference = await api.findings.diffImages(request);
      assert.deepEqual(
        [difference.fromDigest, difference.toDigest],
        [image.digest, platforms[0].digest],
      );
      assert.deepEqual([difference.fromState, difference.toState], [waiting, waiting]);
      assert.match(difference.warnings.join(), /have not been read yet/);
      await until(async () => {
        const { imagesWaiting } = await api.findings.getExposure({ uidp: { ids: [repoUid] } });
        return imagesWaiting === "3";
      });
      tracked.proxy.instead = () => undefined;
      for (const digest of [image.digest, ...platforms.map((one: Answer) => one.digest)]) {
        assert.equal((await images.read("acme/slow", digest)).state, 3);
      }
      const read = await api.inventory.listImagePackages({ repoUid, digest: image.digest });
      assert.equal(read.state, "INVENTORY_STATE_NONE");
    });

    /** The images that are still to be read, and their signatures, once everything else is done. */
    async function waiting(): Promise<{ kind: string; key: string }[]> {
      await images.settled(2);
      return images.rows("SELECT kind, key FROM exposure_work WHERE key <> 'second'");
    }
  });
}

describe("a registry that cannot be reached", () => {
  interface Warning {
    readonly host: string;
    readonly pauseMs: number;
  }
  const { signal } = new AbortController();
  const down = async () => {
    throw new WharfError("UNAVAILABLE", "no answer");
  };

  function availabilityWith(firstMs: number, lastMs: number) {
    const warnings: Warning[] = [];
    const log = { warn: (fields: Warning) => warnings.push(fields) };
    return { warnings, registries: new RegistryAvailability(log as never, { firstMs, lastMs }) };
  }

  test("is not asked for a while", async () => {
    const { registries, warnings } = availabilityWith(50, 50);
    await assert.rejects(registries.ask("one", signal, down), WorkPostponed);
    let answers = 0;
    const answer = async () => ++answers;
    await assert.rejects(registries.ask("one", signal, answer), WorkPostponed);
    assert.equal(await registries.ask("two", signal, answer), 1);
    await until(() =>
      registries.ask("one", signal, answer).then(
        () => true,
        () => false,
      ),
    );
    assert.deepEqual([answers, warnings.length], [2, 1]);
  });

  test("is asked after ever longer pauses, and at once when it has answered", async () => {
    const { registries, warnings } = availabilityWith(2, 8);
    const failures = async (count: number) => {
      await until(async () => {
        // Those that fail at the same time are one failure.
        await Promise.allSettled([1, 2, 3].map(() => registries.ask("one", signal, down)));
        return warnings.length >= count;
      });
      return warnings.map(({ host, pauseMs }) => [host, pauseMs]);
    };
    const growing = [2, 4, 8, 8].map((pause) => ["one", pause]);
    assert.deepEqual(await failures(4), growing);
    await until(() =>
      registries
        .ask("one", signal, async () => true)
        .then(
          () => true,
          () => false,
        ),
    );
    assert.deepEqual(await failures(5), [...growing, ["one", 2]]);
  });
});
