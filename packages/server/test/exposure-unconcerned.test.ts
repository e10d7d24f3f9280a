/** Assessments of vulnerabilities that concern no image are finished at once; those that may concern one never are. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { finishUnconcerned } from "../src/exposure/assessment/unconcerned-work.ts";
import { vulnerabilityWork } from "../src/exposure/matching/request-assessment.ts";
import { dueWork, requestWork, type Work } from "../src/store/tables/exposure/work/work.ts";
import { ExposureWorld } from "./support/exposure/exposure-world.ts";
import { later, osv } from "./support/exposure/osv-records.ts";
import { onEachStore } from "./support/world/world.ts";

/** Later than the server's own worker looks. */
const LATER = Date.now() + 3_600_000;

onEachStore("assessments that concern no image", (world) => {
  let exposure: ExposureWorld;
  let org: string;
  before(async () => {
    exposure = await ExposureWorld.open(world);
    org = await world.organization();
  });
  after(() => exposure.close());

  /** A group with an image of a package. */
  async function place(name: string): Promise<{ group: string; image: string }> {
    const group = await world.group(org);
    const repo = (await world.operator().repos.create(group, { name: world.name("repo") })).uid;
    return { group, image: await exposure.image({ repo, packages: [`pkg:npm/${name}@1.0.0`] }) };
  }

  async function imported(group: string, ...records: readonly object[]): Promise<void> {
    await exposure.importOsv(group, ...records);
    await exposure.drain();
  }

  const unmatched = (id: string, ...aliases: string[]) =>
    osv(id, "npm", `not-installed-${id}`, "2.0.0", { aliases });

  async function requested(group: string, names: readonly string[]): Promise<Work[]> {
    const requests = names.map((name) => vulnerabilityWork(group, name, LATER));
    await exposure.store.write((tx) => requestWork(tx, requests));
    return waiting(group);
  }

  async function waiting(group: string): Promise<Work[]> {
    const all = await dueWork(exposure.store.reader, LATER, ["vulnerability"], 1_000);
    return all.filter(({ key, due }) => due === LATER && key.startsWith(`${group} `));
  }

  /** The names of those that are left, of which the batch says the same as the queue. */
  async function left(group: string, batch: readonly Work[]): Promise<string[]> {
    const rest = await finishUnconcerned(exposure.store, batch);
    assert.deepEqual(rest, await waiting(group));
    return rest.map(({ key }) => key.slice(group.length + 1));
  }

  test("are finished, and only those", async () => {
    const { group } = await place("installed");
    await imported(
      group,
      osv("GHSA-one", "npm", "installed", "2.0.0"),
      osv("GHSA-two", "npm", "installed", "3.0.0", { aliases: ["CVE-2026-8002"] }),
      // It has no match, and makes the two one vulnerability.
      unmatched("CVE-2026-8001", "GHSA-one", "GHSA-two"),
      unmatched("PYSEC-1", "CVE-2026-8001"),
      unmatched("PYSEC-2", "PYSEC-1"),
      unmatched("GHSA-free", "CVE-2026-8009"),
    );
    const concerned = ["CVE-2026-8001", "CVE-2026-8002", "GHSA-one", "PYSEC-1", "PYSEC-2"];
    const free = ["CVE-2026-8009", "GHSA-free", "GHSA-of-no-record"];
    assert.deepEqual(await left(group, await requested(group, [...concerned, ...free])), concerned);
  });

  test("are not those with findings whose match is gone", async () => {
    const { group, image } = await place("resolved");
    const record = osv("GHSA-gone", "npm", "resolved", "2.0.0");
    await imported(group, record);
    await imported(group, later({ ...record, withdrawn: "2026-03-01T00:00:01Z" }));
    assert.deepEqual(await exposure.current(image), []);
    await imported(group, unmatched("CVE-2026-8101", "GHSA-gone"));
    const names = ["CVE-2026-8101", "CVE-2026-8102", "GHSA-gone"];
    const concerned = ["CVE-2026-8101", "GHSA-gone"];
    assert.deepEqual(await left(group, await requested(group, names)), concerned);
  });

  test("are those of a group that knows no record which joins them", async () => {
    const { group } = await place("scoped");
    const other = await world.group(org);
    await imported(
      group,
      osv("GHSA-scoped", "npm", "scoped", "2.0.0", { aliases: ["CVE-2026-8200"] }),
      unmatched("CVE-2026-8201", "GHSA-scoped"),
    );
    const batch = [
      ...(await requested(group, ["CVE-2026-8201"])),
      ...(await requested(other, ["CVE-2026-8201"])),
    ];
    assert.deepEqual(await left(group, batch), ["CVE-2026-8201"]);
    assert.deepEqual(await waiting(other), []);
  });

  test("are not those with a decision, whose expiry is requested at the end", async () => {
    const { group } = await place("decided");
    await world.operator().decisions.create(group, {
      ...{
        vulnerability: "CVE-2026-8301",
        status: "FINDING_STATUS_ACCEPTED",
        reason: "until then",
      },
      expireTime: new Date(LATER).toISOString(),
    });
    const batch = await requested(group, ["CVE-2026-8301", "CVE-2026-8302"]);
    assert.deepEqual(await left(group, batch), ["CVE-2026-8301"]);
  });

  test("stay if they are requested again meanwhile, as does work of other kinds", async () => {
    const group = await world.group(org);
    const batch = await requested(group, ["CVE-2026-8401", "CVE-2026-8402"]);
    await requested(group, ["CVE-2026-8402"]);
    const tags: Work = { ...(batch[0] as Work), kind: "tags", key: group };
    assert.deepEqual(await finishUnconcerned(exposure.store, [...batch, tags]), [tags]);
    const keys = (await waiting(group)).map(({ key }) => key);
    assert.deepEqual(keys, [`${group} CVE-2026-8402`]);
  });
});
