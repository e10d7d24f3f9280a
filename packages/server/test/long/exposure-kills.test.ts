/** Servers that are killed while they read images: the next one reads the rest, and nothing twice. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { STORES } from "../support/server/test-server.ts";
import { until } from "../support/until.ts";
import { ImageWorld, layerOf, spdxOf } from "../support/world/image-world.ts";
import { World } from "../support/world/world.ts";

const ROUNDS = 4;
const IMAGES = 12;
const PACKAGES = 1_500;
const NAME = "acme/killed";

for (const store of STORES) {
  describe(`a killed server, on ${store}`, () => {
    test("leaves the images that it has not read to the next one", async (t) => {
      const world = await World.start({ store, registry: true, ownProcess: true });
      t.after(() => world.stop());
      const images = await ImageWorld.of(world);
      const digests: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        for (let at = 0; at < IMAGES; at++) {
          const layer = layerOf({ "lib/apk/db/installed": `P:apk-${round}-${at}\nV:1-r0\n\n` });
          const { digest } = await images.push(NAME, `r${round}-${at}`, layer);
          digests.push(digest);
          // Every third has only the packages of its layer.
          if (at % 3 === 0) continue;
          const purls = Array.from(
            { length: PACKAGES },
            (_, one) => `pkg:npm/package-${(round * 7 + at * 13 + one) % 3_000}@1.0.${at % 5}`,
          );
          await images.attach(NAME, digest, "application/spdx+json", spdxOf(purls));
        }
        const read = async () =>
          Number(
            (
              await images.rows<{ count: number }>("SELECT count(*) AS count FROM exposure_images")
            )[0]?.count,
          );
        await until(async () => (await read()) > round * IMAGES + 2);
        await world.server.kill();
        await world.server.restart();
      }
      await images.settled();
      for (const [at, digest] of digests.entries()) {
        const image = await images.find(NAME, digest);
        const expected = (at % IMAGES) % 3 === 0 ? 1 : PACKAGES;
        assert.deepEqual([at, image?.state, image?.packages, image?.tags], [at, 2, expected, 1]);
        assert.equal((await images.packages(image?.id ?? 0)).length, expected);
      }
      const orphans = await images.rows(
        `SELECT id FROM package_versions v WHERE NOT EXISTS (
           SELECT 1 FROM image_packages p WHERE p.version = v.id)`,
      );
      assert.deepEqual(orphans, [], "no version without an image");
    });
  });
}
