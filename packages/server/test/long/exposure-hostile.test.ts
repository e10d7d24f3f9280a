/** Images that are made to stop the reading of others, and servers that are killed at every step of the pipeline. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGzip, gzipSync } from "node:zlib";
import { ExposureWorld } from "../support/exposure/exposure-world.ts";
import { HIGH, osv } from "../support/exposure/osv-records.ts";
import { INDEX, MANIFEST } from "../support/registry/oci-client.ts";
import { STORES, type StoreKind } from "../support/server/test-server.ts";
import { until } from "../support/until.ts";
import { ImageWorld, layerOf, spdxOf, tarOf } from "../support/world/image-world.ts";
import { World } from "../support/world/world.ts";

const MIB = 1024 * 1024;
const SPDX = "application/spdx+json";
const CYCLONEDX = "application/vnd.cyclonedx+json";

const NAME = "acme/hostile";

/** A layer whose database of packages has a gigabyte, and which is small. */
async function bomb(): Promise<Buffer> {
  const size = 1024 * MIB;
  const header = tarOf({ "lib/apk/db/installed": "" }).subarray(0, 512);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const gzip = createGzip({ level: 1 });
  const parts: Buffer[] = [];
  gzip.on("data", (part: Buffer) => parts.push(part));
  gzip.write(header);
  const block = Buffer.alloc(16 * MIB, "P:a\nV:1\n\n");
  for (let sent = 0; sent < size; sent += block.length) {
    await new Promise((resolve) => gzip.write(block, resolve));
  }
  await new Promise((resolve) => gzip.end(resolve));
  return Buffer.concat(parts);
}

const cyclonedx = (components: string) =>
  `{"bomFormat":"CycloneDX","specVersion":"1.6","components":[${components}]}`;

const MILLION = cyclonedx(
  `${'{"type":"library","name":"a","purl":"pkg:npm/a@1"},'.repeat(1_000_000)}{"type":"library","name":"b"}`,
);

const LARGE = spdxOf(["pkg:npm/a@1"]).replace("{", `{"comment":"${"x".repeat(100 * MIB)}",`);

const NESTED = cyclonedx(
  `${'{"type":"library","name":"a","components":['.repeat(100_000)}${"]}".repeat(100_000)}`,
);

const OTHERS = JSON.stringify({
  _type: "https://in-toto.io/Statement/v1",
  predicateType: "https://spdx.dev/Document",
  subject: [{ name: "other", digest: { sha256: "ab".repeat(32) } }],
  predicate: JSON.parse(spdxOf(["pkg:npm/a@1"])),
});

for (const store of STORES) {
  describe(`hostile images, on ${store}`, () => {
    test("are refused with the reason, and the images of others are read", async (t) => {
      const world = await World.start({ store, registry: true });
      t.after(() => world.stop());
      const images = await ImageWorld.of(world);
      const documents: [type: string, content: string, reason: string][] = [
        [CYCLONEDX, MILLION, "too_many_components"],
        [SPDX, LARGE, "too_large"],
        [CYCLONEDX, NESTED, "too_deep"],
        ["application/vnd.in-toto+json", OTHERS, "wrong_subject"],
        [SPDX, '{"spdxVersion":"SPDX-2.3","packages":[', "not_json"],
      ];
      const digests: string[] = [];
      for (const [at, [type, content]] of documents.entries()) {
        const { digest } = await images.push(NAME, `document-${at}`, "no file system");
        await images.attach(NAME, digest, type, content);
        digests.push(digest);
      }
      const bombs = [
        await bomb(),
        gzipSync(Buffer.alloc(256 * MIB)),
        gzipSync(tarOf({ "a/../../etc/os-release": "ID=x" })),
      ];
      for (const [at, layer] of bombs.entries()) {
        digests.push((await images.push(NAME, `bomb-${at}`, layer)).digest);
      }
      const layer = layerOf({ "lib/apk/db/installed": "P:musl\nV:1-r0\n\n" });
      const good = await images.push("acme/good", "1", layer);
      assert.equal((await images.read("acme/good", good.digest)).packages, 1);
      const read = await Promise.all(digests.map((digest) => images.find(NAME, digest)));
      assert.deepEqual(
        read
          .slice(0, documents.length)
          .map((one) => [one?.state, one?.packages, one?.detail.documents[0]?.refusal]),
        documents.map(([, , reason]) => [4, 0, reason]),
      );
      for (const one of read.slice(documents.length)) {
        assert.ok(
          one?.state === 3 || (one?.state === 4 && one.reason !== ""),
          `${one?.state} ${one?.reason}`,
        );
        assert.equal(one?.packages, 0);
      }
    });

    test("and indexes of indexes, and of themselves, do not stop the worker", async (t) => {
      const world = await World.start({ store, registry: true });
      t.after(() => world.stop());
      const images = await ImageWorld.of(world);
      const exposure = await ExposureWorld.open(world);
      t.after(() => exposure.close());
      const layer = layerOf({ "lib/apk/db/installed": "P:musl\nV:1-r0\n\n" });
      const image = await images.push(NAME, "1", layer);
      const entry = (one: { digest: string; size: number }, mediaType: string) => ({
        ...{ mediaType, ...one, platform: { os: "linux", architecture: "amd64" } },
      });
      const inner = await images.index(NAME, "inner", [entry(image, MANIFEST)]);
      let outer = inner;
      for (let level = 0; level < 20; level++) {
        outer = await images.index(NAME, `level-${level}`, [
          entry(outer, INDEX),
          entry(image, MANIFEST),
        ]);
      }
      assert.equal((await images.read(NAME, image.digest)).packages, 1);
      // No digest allows this; a registry that is attached might say so.
      const repo = await images.repo(NAME);
      await exposure.store.write((tx) =>
        tx.run(
          "UPDATE manifests SET children = ? WHERE repo = ? AND digest = ?",
          JSON.stringify([
            { digest: inner.digest, architecture: "amd64" },
            { digest: image.digest, architecture: "amd64" },
          ]),
          repo,
          inner.digest,
        ),
      );
      const api = world.operator();
      await api.inventory.reindexImage({ repoUid: repo, digest: inner.digest });
      const other = await images.push("acme/good", "2", layer);
      assert.equal((await images.read("acme/good", other.digest)).packages, 1);
      await api.inventory.getImageInventory({ repoUid: repo, digest: inner.digest });
    });

    test("a server that is killed at every step finds what another one finds", async (t) => {
      const [expected, killed] = [
        await findingsOf(t, store, false),
        await findingsOf(t, store, true),
      ];
      assert.ok(expected.length > 1_000, `${expected.length} findings`);
      assert.deepEqual(killed, expected);
    });
  });
}

const ROUNDS = 3;
const IMAGES = 8;
const PACKAGES = 400;
const RECORDS = 60;

/** Pushes images and imports advisories, with kills while they are read, matched and assessed; all findings in words. */
async function findingsOf(
  t: { after(cleanup: () => unknown): void },
  store: StoreKind,
  isKilled: boolean,
): Promise<string[]> {
  const world = await World.start({ store, registry: true, ownProcess: true });
  t.after(() => world.stop());
  const images = await ImageWorld.of(world);
  const exposure = await ExposureWorld.open(world);
  t.after(() => exposure.close());
  const group = world.registry.organization;
  const number = async (sql: string) =>
    Number(
      (await images.rows<{ number: number }>(`SELECT count(*) AS number FROM ${sql}`))[0]?.number,
    );
  /** Kills the server once a table has grown, or if nothing is left that it might grow by. */
  const killOnce = async (table: string, before: number) => {
    if (!isKilled) return;
    await until(async () => {
      const isDone =
        (await number("exposure_work WHERE kind <> 'notify' AND key <> 'second'")) === 0;
      return isDone || (await number(table)) > before;
    }, 2);
    await world.server.kill();
    await world.server.restart();
  };
  for (let round = 0; round < ROUNDS; round++) {
    const before = await number("exposure_images");
    for (let at = 0; at < IMAGES; at++) {
      const { digest } = await images.push(NAME, `r${round}-${at}`, "no file system");
      const purls = Array.from(
        { length: PACKAGES },
        (_, one) => `pkg:npm/package-${(round * 11 + at * 17 + one) % 1_000}@1.${(one + at) % 5}.0`,
      );
      await images.attach(NAME, digest, SPDX, spdxOf(purls, `${round}-${at}`));
    }
    await killOnce("exposure_images", before + 1);
    const records = Array.from({ length: RECORDS }, (_, at) =>
      osv(
        `GHSA-kill-${round}-${at}`,
        "npm",
        `package-${(at * 7 + round) % 1_000}`,
        `1.${at % 6}.0`,
        {
          ...{ aliases: [`CVE-2026-${9_000 + ((at + round * 30) % 100)}`] },
          severity: [{ type: "CVSS_V3", score: HIGH }],
        },
      ),
    );
    const matches = await number("vulnerability_matches");
    const found = await number("findings");
    await exposure.importOsv(group, ...records);
    await killOnce("vulnerability_matches", matches);
    await killOnce("findings", found);
  }
  await images.settled();
  await exposure.drainAll();
  const counts = await images.rows<{ wrong: number }>(
    `SELECT count(*) AS wrong FROM finding_counts c WHERE c.open <> (
       SELECT count(*) FROM findings f WHERE f.image = c.image AND f.severity = c.severity
         AND f.resolved = 0 AND f.status IN (1, 4))`,
  );
  assert.equal(Number(counts[0]?.wrong), 0, "counts are those of the findings");
  const rows = await images.rows<Record<string, string>>(
    `SELECT i.digest, f.vulnerability, v.purl, f.status, f.severity, f.fixable, f.detail
     FROM findings f JOIN exposure_images i ON i.id = f.image JOIN package_versions v ON v.id = f.version
     WHERE f.resolved = 0`,
  );
  return rows
    .map(({ detail = "{}", ...row }) => {
      const { records, names, fixed } = JSON.parse(detail);
      const ids = records.map(([, id]: [number, string]) => id).sort();
      return JSON.stringify([...Object.values(row).map(String), ids, names, fixed]);
    })
    .sort();
}
