import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { StoredStatement } from "../src/exposure/assessment/statements-of-images.ts";
import { ExposureWorld, newDigest } from "./support/exposure/exposure-world.ts";
import { later, osv } from "./support/exposure/osv-records.ts";
import { onEachStore } from "./support/world/world.ts";

/** A component of a VEX document. */
const component = (purl: string) => ({ identifiers: [purl], purls: [purl], hashes: [] });

const statement = (
  status: StoredStatement["status"],
  product: string,
  more: Partial<StoredStatement> = {},
): StoredStatement => ({
  vulnerabilities: ["CVE-2026-8001"],
  products: [{ ...component(product), subcomponents: [] }],
  status,
  ...more,
});

onEachStore("VEX statements and events of findings", (world) => {
  let exposure: ExposureWorld;
  let org: string;
  before(async () => {
    exposure = await ExposureWorld.open(world);
    org = await world.organization();
  });
  after(() => exposure.close());

  /** A group with a record about a package of its own. */
  async function place() {
    const group = await world.group(org);
    const repo = (await world.operator().repos.create(group, { name: world.name("repo") })).uid;
    const name = world.name("stated");
    const record = osv(world.name("GHSA-stat"), "npm", name, "2.0.0", {
      aliases: ["CVE-2026-8001"],
    });
    const purl = `pkg:npm/${name}@1.0.0`;
    return { group, repo, record, purl, package: `pkg:npm/${name}` };
  }

  world.rule("the latest statement decides, and only some hide findings", async () => {
    const at = await place();
    const stated = async (...statements: StoredStatement[]) => {
      const image = await exposure.image({ repo: at.repo, packages: [at.purl], statements });
      const [finding] = await exposure.findings(image);
      return finding?.status;
    };
    await exposure.importOsv(at.group, at.record);
    await exposure.drain();
    const cleared = statement("not_affected", at.package, { time: 1 });
    assert.equal(await stated(cleared), 2);
    assert.equal(await stated(cleared, statement("affected", at.package, { time: 2 })), 1);
    const investigated = statement("under_investigation", at.package, { time: 2 });
    assert.equal(await stated(cleared, investigated), 1);
    assert.equal(await stated({ ...cleared, time: 3 }, investigated), 2);
    assert.equal(await stated(statement("fixed", at.purl)), 3);
    assert.equal(await stated(statement("fixed", at.package)), 1, "in which version?");
    assert.equal(await stated(statement("not_affected", `${at.package}@1.0.1`)), 1);
    assert.equal(
      await stated({ ...cleared, vulnerabilities: ["CVE-2026-8002"] }),
      1,
      "about another vulnerability",
    );
  });

  world.rule("statements may name the image, by digest", async () => {
    const at = await place();
    const digest = newDigest();
    const product = { identifiers: [digest], purls: [], hashes: [digest.slice(7)] };
    const inImage = {
      ...statement("not_affected", at.purl),
      products: [{ ...product, subcomponents: [component(at.package)] }],
      author: "Security of Acme",
      document: newDigest(),
    };
    const image = { repo: at.repo, packages: [at.purl], statements: [inImage] };
    await exposure.image({ ...image, digest });
    const other = await exposure.image(image);
    await exposure.importOsv(at.group, at.record);
    await exposure.drain();
    const [found] = await exposure.findings(digest);
    const { author, document, origin } = found?.detail.decision ?? {};
    assert.deepEqual(
      [found?.status, author, document, origin],
      [2, inImage.author, inImage.document, 2],
    );
    assert.equal((await exposure.findings(other))[0]?.status, 1);
  });

  world.rule(
    "repos have one event when images in use become affected, and one when none is",
    async () => {
      const at = await place();
      const packages = [at.purl];
      await exposure.image({ repo: at.repo, packages });
      await exposure.image({ repo: at.repo, packages });
      await exposure.image({ repo: at.repo, packages, tags: 0 });
      const events = async () => {
        await exposure.drainAll();
        const rows = await exposure.store.reader.all<{ type: string; body: string }>(
          "SELECT type, body FROM events WHERE subject = ? AND type LIKE 'exposure.%' ORDER BY time, id",
          at.repo,
        );
        return rows.map(({ type, body }) => [
          type,
          (JSON.parse(body) as { images: number }).images,
        ]);
      };
      await exposure.importOsv(at.group, at.record);
      const affected = ["exposure.image.affected.v1", 2];
      assert.deepEqual(await events(), [affected]);
      await exposure.importOsv(at.group, later({ ...at.record, summary: "worse than thought" }));
      assert.deepEqual(await events(), [affected]);
      await exposure.importOsv(
        at.group,
        later({ ...at.record, withdrawn: "2026-03-01T00:00:02Z" }, 2),
      );
      assert.deepEqual(await events(), [affected, ["exposure.image.cleared.v1", 0]]);
    },
  );
});
