import assert from "node:assert/strict";
import { before } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { onEachStore } from "./support/world/world.ts";

const MINE = {
  artifactType: "apk",
  artifactName: "openssl",
  artifactArchitecture: "x86_64",
  componentName: "libcrypto3",
  componentLocation: "/lib/libcrypto.so.3",
  componentType: "so",
  aliases: ["CVE-2026-0001"],
  advisoryId: "CGA-mine",
  legacyAdvisoryID: "OLD-mine",
};
const OTHER = {
  artifactType: "image",
  artifactName: "nginx",
  artifactArchitecture: "aarch64",
  componentName: "zlib",
  componentLocation: "/lib/libz.so",
  componentType: "deb",
  aliases: ["CVE-2026-0002"],
  advisoryId: "CGA-other",
  legacyAdvisoryID: "OLD-other",
};

onEachStore("the v1 list of advisories", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  const idsOf = ({ items }: any): string[] => items.map((one: any) => one.advisoryId).sort();

  world.rule("filters are those of v2 under other names", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const writer = await world.member({ [group]: ["advisories.create", "advisories.update"] });
    const theirs = api.as(writer.token).v1;
    const mine = await v1.advisories.create(group, MINE);
    const other = await v1.advisories.create(group, OTHER);
    const event = await theirs.advisoryEvents.create(mine.id, { fixed: { fixedVersion: "1" } });
    const moved = { componentLocationChanged: { previousLocation: "/a", newLocation: "/b" } };
    const second = await theirs.advisoryEvents.create(mine.id, moved);
    await v1.advisoryEvents.update(event.id, { ...event, status: "APPROVED" });
    const reviewed = await v1.advisoryEvents.update(second.id, { ...second, status: "APPROVED" });
    await v1.advisoryEvents.create(other.id, { detection: { manual: {} } });
    const only: object[] = [
      { id: mine.id },
      { uidp: { ids: [mine.id] } },
      { id: mine.id, uidp: { ids: [mine.id, other.id] } },
      { advisoryIds: ["CGA-mine", "CGA-none"] },
      { legacyAdvisoryIds: ["OLD-mine"] },
      { artifactType: ["apk"] },
      { artifactName: ["openssl"] },
      { artifactArchitecture: ["x86_64"] },
      { componentName: ["libcrypto3"] },
      { componentType: ["so"] },
      { componentLocation: ["/lib/libcrypto.so.3"] },
      { aliases: ["CVE-2026-0001"] },
      { origin: "openssl", artifactName: ["nginx"] },
      { eventStatuses: ["APPROVED", "REJECTED"] },
      { eventAuthor: [writer.uid] },
      { excludeEventAuthor: [reviewed.reviewer] },
      { eventReviewer: [reviewed.reviewer] },
      { eventTypes: ["EVENT_TYPE_FILTER_FIXED"] },
      { eventTypes: ["EVENT_TYPE_FILTER_COMPONENT_LOCATION_CHANGED"] },
      // That a component moved is not how an advisory stands.
      { latestEventType: "EVENT_TYPE_FILTER_FIXED" },
    ];
    for (const filter of only) {
      const uidp = { childrenOf: group };
      const list = await v1.advisories.list({ uidp, ...filter });
      assert.deepEqual([idsOf(list), list.totalCount], [["CGA-mine"], "1"], JSON.stringify(filter));
    }
    const none = await v1.advisories.list({ id: mine.id, uidp: { ids: [other.id] } });
    assert.deepEqual([none.items, none.totalCount, none.nextPageToken], [[], "0", ""]);
    const nowhere = await v1.advisories.list({ id: `${group}/0123456789abcdef` });
    assert.deepEqual([nowhere.items, nowhere.totalCount], [[], "0"], "not an error");
    for (const filter of [{ id: "what" }, { uidp: { ids: ["what"] } }]) {
      assert.deepEqual((await v1.advisories.list(filter)).items, [], "not an error either");
    }
    // More than fits into a URL.
    const overGrpc = world.operator("gRPC").v1;
    const many = Array.from({ length: 1_001 }, (_, at) => `name ${at}`);
    const tooMany = ["artifactName", "componentType", "eventAuthor", "excludeEventAuthor"];
    for (const field of tooMany) {
      const { code, fields } = await rejected(overGrpc.advisories.list({ [field]: many }));
      assert.deepEqual([code, Object.keys(fields)], [3, [field]]);
    }
  });

  world.rule("pages keep the requested order", async (api) => {
    const v1 = api.v1;
    const group = await world.group(org);
    const uidp = { childrenOf: group };
    const aliases = [["CVE-3"], [], ["CVE-1", "GHSA-1"], ["CVE-1"], ["CVE-2"]];
    const made: string[] = [];
    for (const [at, some] of aliases.entries()) {
      const advisory = { ...MINE, advisoryId: `CGA-${at}`, aliases: some };
      made.push((await v1.advisories.create(group, advisory)).id);
    }
    const walk = async (orderBy?: string) => {
      const found: string[] = [];
      for (let pageToken = ""; ; ) {
        const asked = { uidp, pageSize: "2", pageToken, ...(orderBy && { orderBy }) };
        const page = await v1.advisories.list(asked);
        assert.equal(page.totalCount, "5");
        found.push(...page.items.map((one: { id: string }) => one.id));
        pageToken = page.nextPageToken;
        if (pageToken === "") return found;
      }
    };
    const byId = (await walk()).toSorted();
    assert.equal(new Set(byId).size, 5);
    assert.deepEqual(await walk(), byId);
    assert.deepEqual(await walk("ID_ASC"), byId);
    assert.deepEqual(await walk("ID_DESC"), byId.toReversed());
    assert.deepEqual(await walk("CREATED_AT_ASC"), made);
    assert.deepEqual(await walk("CREATED_AT_DESC"), made.toReversed());
    const byAliases = [1, 3, 2, 4, 0].map((at) => made[at]);
    assert.deepEqual(await walk("ALIASES_ASC"), byAliases);
    assert.deepEqual(await walk("ALIASES_DESC"), byAliases.toReversed());
    assert.deepEqual(await walk("DELETED_AT_ASC"), byId, "none of them is deleted");
    assert.deepEqual(await walk("DELETED_AT_DESC"), byId.toReversed());
    const first = made[0] as string;
    await v1.advisories.update(first, { ...MINE, advisoryId: "", artifactName: "changed" });
    assert.equal((await walk("UPDATED_AT_ASC")).at(-1), first);
    assert.equal((await walk("UPDATED_AT_DESC"))[0], first);
    const unknown = await rejected(v1.advisories.list({ orderBy: 11 }));
    assert.deepEqual([unknown.code, Object.keys(unknown.fields)], [3, ["orderBy"]]);
    const huge = await v1.advisories.list({ uidp, pageSize: "9000000000000000000" });
    assert.equal(huge.items.length, 5);
    const negative = await rejected(v1.advisories.list({ pageSize: "-9000000000000000000" }));
    assert.deepEqual([negative.code, Object.keys(negative.fields)], [3, ["pageSize"]]);
    const { nextPageToken: pageToken } = await v1.advisories.list({ uidp, pageSize: "2" });
    assert.equal((await rejected(v1.advisories.list({ pageToken }))).code, 3, "of another list");
  });
});
