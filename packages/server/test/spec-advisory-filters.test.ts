import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import {
  type Asked,
  isFound,
  messageOf,
  type Sample,
  samples,
  TYPES,
} from "./support/oracle/advisory-samples.ts";
import { SEED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { writing, written } from "./support/world/advisories.ts";
import { onEachStore } from "./support/world/world.ts";

/** Each filter alone, with values that some have and none has. */
const ALONE: readonly Asked[] = [
  { advisoryIds: ["CGA-3", "CGA-40", "CGA-none"] },
  { legacyAdvisoryIds: ["CVE-old-6", "CVE-old-9"] },
  { artifactNames: ["openssl", "zlib"] },
  { artifactNames: ["open"] },
  { artifactTypes: ["image"] },
  { artifactArchitectures: ["aarch64"] },
  { componentNames: ["log4j", "none"] },
  { componentNames: [""] },
  { componentTypes: ["java", "go-module"] },
  { componentLocations: ["/lib/y"] },
  { aliases: ["CVE-2026-1"] },
  { aliases: ["CVE-2026-1", "GHSA-0x"] },
  { aliases: ["cve-2026-1"] },
  { origin: "openssl" },
  { origin: "zlib", artifactNames: ["openssl"] },
  { eventReviewStates: ["REVIEW_STATE_PENDING"] },
  { eventReviewStates: ["REVIEW_STATE_REJECTED", "REVIEW_STATE_REQUEST_CHANGES"] },
  { eventAuthors: ["ann@example.com"] },
  { excludeEventAuthors: ["ann@example.com"] },
  { excludeEventAuthors: ["ann@example.com", "bob@example.com"] },
  { eventAuthors: ["bob@example.com"], excludeEventAuthors: ["ann@example.com"] },
  { eventReviewers: ["dan@example.com"] },
  ...TYPES.flatMap(([, type]) => [{ eventTypes: [type] }, { latestEventType: type }]),
  { eventTypes: ["EVENT_TYPE_FILTER_FIXED", "EVENT_TYPE_FILTER_PATCHED"] },
  { query: "openSSL" },
  { query: "MODULE" },
  { query: "cve-2026-1" },
  { query: "shared" },
  { query: "%" },
  { query: "_" },
  { query: "a_b" },
  { query: "\\" },
  { query: "nowhere" },
];

onEachStore("filters of advisories", (world) => {
  let direct: DirectStore;
  let org: string;
  let groups: string[];
  /** By group. */
  let all: [group: string, Sample][];
  before(async () => {
    direct = await DirectStore.open(world.server);
    org = await world.organization();
    const below = await world.group(org);
    groups = [org, below, await world.group(below), await world.organization()];
    all = samples(72).map((sample, at) => [groups[at % groups.length] as string, sample]);
    for (const group of groups) {
      const own = all.filter(([place]) => place === group).map(([, sample]) => messageOf(sample));
      await written(direct, group, ...own);
    }
  });
  after(() => direct.close());

  const expected = (asked: Asked, isWithin: (group: string) => boolean) =>
    all
      .filter(([group, sample]) => isWithin(group) && isFound(sample, asked))
      .map(([, { advisoryId }]) => advisoryId)
      .sort();

  /** All pages of a list, checked against each other. */
  async function walk(api: ApiClient, request: object): Promise<string[]> {
    const ids: string[] = [];
    let pageToken = "";
    const totals = new Set<string>();
    do {
      const page = await api.advisories.list({ ...request, pageSize: 7, pageToken });
      ids.push(...page.advisories.map((one: { advisoryId: string }) => one.advisoryId));
      totals.add(page.totalCount);
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    assert.deepEqual([...totals], [String(ids.length)], JSON.stringify(request));
    return ids;
  }

  const below = (top: string) => (group: string) => `${group}/`.startsWith(`${top}/`);

  world.rule("each filter is exact", async (api) => {
    const uidp = { descendantsOf: org };
    for (const asked of ALONE) {
      const found = await walk(api, { ...asked, uidp });
      assert.deepEqual(found.sort(), expected(asked, below(org)), JSON.stringify(asked));
    }
    const some = ALONE.filter((asked) => expected(asked, below(org)).length > 0);
    assert.ok(some.length >= ALONE.length - 8, `${some.length} of ${ALONE.length} find something`);
  });

  test("filters combine with AND, in every group and order", async () => {
    const api = world.operator();
    const top = (at: number) => groups[at] as string;
    const stretches: [object, (group: string) => boolean][] = [
      [{}, () => true],
      [{ descendantsOf: org }, below(org)],
      [{ descendantsOf: top(1) }, below(top(1))],
      [{ childrenOf: org }, (group) => group === org],
      [{ childrenOf: top(2) }, (group) => group === top(2)],
    ];
    const request = fc.record({
      asked: fc.array(fc.constantFrom(...ALONE), { minLength: 1, maxLength: 3 }),
      stretch: fc.constantFrom(...stretches),
      orderBy: fc.constantFrom("", "uid desc", "created_at", "updated_at desc"),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ asked, stretch: [uidp, isWithin], orderBy }) => {
        const whole = Object.assign({}, ...asked) as Asked;
        const found = await walk(api, { ...whole, uidp, orderBy });
        assert.deepEqual(found.sort(), expected(whole, isWithin));
      }),
      { seed: SEED, numRuns: runs(40, 150) },
    );
  });

  world.rule("callers find only what they can list", async (api) => {
    const place = groups[1] as string;
    const { token } = await world.member({ [place]: ["advisories.list"] });
    for (const asked of ALONE.slice(0, 22)) {
      const found = await walk(api.as(token), asked);
      assert.deepEqual(found.sort(), expected(asked, below(place)), JSON.stringify(asked));
    }
    const { token: none } = await world.member({ [place]: ["groups.list"] });
    assert.deepEqual(await walk(api.as(none), { query: "o" }), []);
    const two = await world.member({
      [groups[2] as string]: ["advisories.list"],
      [groups[3] as string]: ["advisories.list"],
    });
    const asked = { query: "open", orderBy: "updated_at" };
    const found = await walk(api.as(two.token), asked);
    const isWithin = (group: string) => group === groups[2] || group === groups[3];
    assert.deepEqual(found.sort(), expected(asked, isWithin));
  });

  world.rule("skip and ids work with filters", async (api) => {
    const asked = { artifactTypes: ["apk"], uidp: { descendantsOf: org } };
    const whole = await api.advisories.list({ ...asked, pageSize: 200 });
    assert.ok(whole.advisories.length > 5);
    const later = await api.advisories.list({ ...asked, skip: 3, pageSize: 2 });
    assert.deepEqual(later.advisories, whole.advisories.slice(3, 5));
    assert.deepEqual([later.skipped, later.totalCount], [3, whole.totalCount]);
    const ids = whole.advisories.map(({ uid }: { uid: string }) => uid);
    const named = await api.advisories.list({ artifactTypes: ["apk"], uidp: { ids } });
    assert.deepEqual(named.advisories, whole.advisories.slice(0, 50));
    const none = await api.advisories.list({ artifactTypes: ["image"], uidp: { ids } });
    assert.deepEqual([none.advisories, none.totalCount], [[], "0"]);
  });

  world.rule("changed advisories are found by their new values only", async (api) => {
    const group = await world.group(org);
    const given = { advisoryId: "CGA-changing", aliases: ["CVE-before", "CVE-stays"] };
    const [made] = await written(direct, group, given);
    assert.ok(made);
    const found = async (asked: Asked) =>
      (await walk(api, { ...asked, uidp: { childrenOf: group } })).length;
    await writing(direct, group, async (writer) => {
      const one = await writer.findByUid(made.uid);
      return writer.update({ ...one, aliases: ["CVE-stays", "CVE-after"], artifactName: "zlib" });
    });
    assert.equal(await found({ aliases: ["CVE-before"] }), 0);
    assert.equal(await found({ query: "before" }), 0);
    assert.equal(await found({ artifactNames: ["openssl"] }), 0);
    for (const alias of ["CVE-stays", "CVE-after"])
      assert.equal(await found({ aliases: [alias] }), 1);
    assert.equal(await found({ query: "AFTER" }), 1);
    await writing(direct, group, async (writer) => writer.delete(await writer.findByUid(made.uid)));
    assert.equal(await found({ aliases: ["CVE-after"] }), 0);
    const deleted = { aliases: ["CVE-after"], showDeleted: true, uidp: { childrenOf: group } };
    assert.equal((await api.advisories.list(deleted)).totalCount, "1");
  });

  world.rule("an origin matches all packages built from it", async (api) => {
    const [near, far] = [await world.organization(), await world.organization()];
    const scanned = (subpackage: string) => ({
      author: "scanner",
      reviewState: "REVIEW_STATE_APPROVED",
      detection: { scanv1: { scanner: "grype", subpackage } },
    });
    await written(
      direct,
      near,
      { advisoryId: "CGA-origin", artifactName: "curl", events: [scanned("libcurl4")] },
      { advisoryId: "CGA-sub", artifactName: "libcurl4", events: [scanned("libcurl4")] },
      { advisoryId: "CGA-other", artifactName: "zlib" },
    );
    await written(direct, far, {
      advisoryId: "CGA-far",
      artifactName: "curl",
      events: [scanned("zlib")],
    });
    const found = async (who: ApiClient, asked: Asked) =>
      (await walk(who, { ...asked, uidp: { descendantsOf: near } })).sort();
    const { token } = await world.member({ [near]: ["advisories.list"] });
    const caller = api.as(token);
    assert.deepEqual(await found(caller, { origin: "curl" }), ["CGA-origin", "CGA-sub"]);
    assert.deepEqual(await found(caller, { origin: "libcurl4" }), ["CGA-sub"]);
    const both = { origin: "curl", artifactNames: ["zlib"] };
    assert.deepEqual(await found(caller, both), ["CGA-origin", "CGA-sub"]);
    assert.deepEqual(await found(caller, { artifactNames: ["curl"] }), ["CGA-origin"]);
    // A caller that can see the other organization finds its packages.
    assert.equal((await found(api, { origin: "curl" })).length, 3);
  });

  test("very long values are found", async () => {
    const group = await world.group(org);
    const word = () => randomBytes(2_000).toString("hex");
    const [alias, location, subpackage, artifactName] = [word(), word(), word(), word()];
    const events = [
      {
        author: word(),
        reviewState: "REVIEW_STATE_APPROVED",
        detection: { scanv1: { subpackage } },
      },
    ];
    const given = { artifactName, aliases: [alias], componentLocation: location, events };
    await written(direct, group, { advisoryId: "CGA-long", ...given });
    await written(direct, group, { advisoryId: "CGA-sub", artifactName: subpackage });
    const found = (asked: Asked) =>
      walk(world.operator("gRPC"), { ...asked, uidp: { childrenOf: group } });
    assert.deepEqual(await found({ aliases: [alias] }), ["CGA-long"]);
    assert.deepEqual(await found({ aliases: [`${alias}0`] }), []);
    assert.deepEqual(await found({ componentLocations: [location] }), ["CGA-long"]);
    assert.deepEqual(await found({ query: alias.slice(3_000, 3_100) }), ["CGA-long"]);
    assert.deepEqual((await found({ origin: artifactName })).sort(), ["CGA-long", "CGA-sub"]);
  });

  test("a filter that is too long is rejected", async () => {
    const aliases = Array.from({ length: 1_001 }, (_, at) => `C-${at}`);
    const { code, fields } = await rejected(world.operator("gRPC").advisories.list({ aliases }));
    assert.deepEqual([code, Object.keys(fields)], [3, ["aliases"]]);
  });

  world.rule("a page token of another list, or an unknown order, is rejected", async (api) => {
    const first = await api.advisories.list({ artifactTypes: ["apk"], pageSize: 1 });
    const foreign = { artifactTypes: ["image"], pageToken: first.nextPageToken };
    const refusal = await rejected(api.advisories.list(foreign));
    assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, ["pageToken"]]);
    const order = await rejected(api.advisories.list({ orderBy: "name" }));
    assert.deepEqual([order.code, Object.keys(order.fields)], [3, ["orderBy"]]);
  });
});
