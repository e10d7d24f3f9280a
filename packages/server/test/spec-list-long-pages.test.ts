import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ENGINE_LIMITS } from "../src/engine/limits.ts";
import { listAll, uidsOf } from "./support/client/pagination.ts";
import { onEachStore, type World } from "./support/world/world.ts";

/**
 * Number of resources of a quarter of a megabyte each. gRPC clients accept 4 MiB by default, and those of the tests
 * keep the default. So the usual size of pages is tested on one store, and a smaller one on the other.
 */
const LONG = 20;
const SMALLER = 20;
const LIMITS = { pageBytes: ENGINE_LIMITS.pageBytes / SMALLER };

const event = (at: number, size: number) => ({
  createTime: new Date(1_700_000_000_000 + at).toISOString(),
  findings: Buffer.alloc(size, "x").toString("base64"),
  fixed: { fixedVersion: `${at}` },
});

const advisory = (number: number, more: object = {}) => ({
  advisoryId: `CGA-${number}`,
  artifactType: "apk",
  artifactName: number % 2 === 0 ? "openssl" : "zlib",
  ...more,
});

onEachStore("lists of large resources", largeResources, (store) =>
  store === "sqlite" ? {} : { limits: LIMITS },
);

function largeResources(world: World): void {
  const divisor = world.store === "sqlite" ? 1 : SMALLER;

  /** A group with advisories that one page could not hold; only read by the tests. */
  let group: string;
  before(async () => {
    group = await world.group(await world.organization());
    const events = Array.from({ length: 4 }, (_, at) => event(at, 60_000 / divisor));
    for (let at = 0; at < LONG; at += 2) {
      const advisories = [advisory(at, { events }), advisory(at + 1, { events })];
      await world.operator("gRPC").advisoryImports.importAdvisories({
        parent: group,
        documents: [{ name: "x", advisories }],
      });
    }
  });

  world.rule("a page above the size limit is cut short, and the next continues", async (api) => {
    for (const orderBy of ["uid", "updated_at desc"]) {
      const request = { uidp: { childrenOf: group }, orderBy };
      const { items } = await listAll(api.advisories, "advisories", { ...request, pageSize: 6 });
      assert.equal(new Set(uidsOf(items)).size, LONG);
      const first = await api.advisories.list({ ...request, pageSize: 200 });
      const count = first.advisories.length;
      assert.ok(count > 10 && count < LONG, `${count} in a page`);
      const { nextPageToken: pageToken } = first;
      const second = await api.advisories.list({ ...request, pageSize: 200, pageToken });
      assert.equal(second.nextPageToken, "");
      assert.deepEqual([...first.advisories, ...second.advisories], items);
      assert.deepEqual([first.totalCount, second.totalCount], [String(LONG), String(LONG)]);
    }
  });

  world.rule("so it is with filters, changes and skip", async (api) => {
    const uidp = { childrenOf: group };
    const all = await listAll(api.advisories, "advisories", { uidp });
    const since = { uidp, updatedSince: "1970-01-01T00:00:00Z", pageSize: 200 };
    const changes = await listAll(api.advisories, "advisories", since);
    assert.deepEqual(uidsOf(changes.items).sort(), uidsOf(all.items));
    const times = changes.items.map(({ updateTime }) => Date.parse(updateTime));
    assert.ok(times.every((time, at) => at === 0 || time >= (times[at - 1] as number)));
    const named = { uidp, artifactNames: ["openssl"], pageSize: 200 };
    assert.equal((await api.advisories.list(named)).advisories.length, LONG / 2);
    const first = await api.advisories.list({ uidp, skip: 1, pageSize: 200 });
    const count = first.advisories.length;
    const uids = uidsOf(all.items);
    assert.deepEqual(uidsOf(first.advisories), uids.slice(1, 1 + count));
    const next = { uidp, pageToken: first.nextPageToken, pageSize: 200 };
    const second = await api.advisories.list({ ...next, skip: 1 });
    assert.deepEqual(uidsOf(second.advisories)[0], uids[1 + count + 1]);
    assert.equal(second.skipped, 2);
  });

  world.rule("so it is for the paged v1 list of advisories", async (api) => {
    const v1 = api.v1;
    const ids: string[] = [];
    let pageToken = "";
    let pages = 0;
    do {
      const page = await v1.advisories.list({
        uidp: { childrenOf: group },
        pageSize: "200",
        pageToken,
      });
      ids.push(...page.items.map(({ id }: { id: string }) => id));
      pageToken = page.nextPageToken;
      pages++;
    } while (pageToken !== "");
    assert.ok(pages > 1, `${pages} pages`);
    assert.equal(new Set(ids).size, LONG);
    assert.deepEqual(ids, ids.toSorted());
  });

  test("hydrated fields count", async () => {
    const rated = await world.group(await world.organization());
    const severity = (id: number, at: number) => ({
      type: "TYPE_CVSS_V3",
      score: `${id}/${at}/`.padEnd(200, "x"),
    });
    const vulnerabilities = Array.from({ length: 40 }, (_, id) => ({
      id: `CVE-${id}`,
      aliases: ["CVE-shared"],
      updateTime: "2026-01-01T00:00:00Z",
      severities: Array.from({ length: 100 / divisor }, (_, at) => severity(id, at)),
    }));
    const advisories = Array.from({ length: 9 }, (_, at) => {
      return advisory(at, { aliases: ["CVE-shared"] });
    });
    const api = world.operator("gRPC");
    await api.advisoryImports.importAdvisories({
      parent: rated,
      documents: [{ name: "x", advisories, vulnerabilities }],
    });
    const request = { uidp: { childrenOf: rated }, pageSize: 200 };
    const { items, pages } = await listAll(api.advisories, "advisories", request);
    assert.equal(new Set(uidsOf(items)).size, 9);
    assert.ok(items.every(({ severities }) => severities.length === 4_000 / divisor));
    assert.ok(pages > 1 && pages < 9, `${pages} pages`);
  });
}
