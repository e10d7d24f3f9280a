import assert from "node:assert/strict";
import { before } from "node:test";
import { advisory, DETECTED, FIXED, plain } from "./support/world/advisory-imports.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("atomicity and order of imports", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  world.rule("a document is imported atomically", async (api) => {
    const group = await world.group(org);
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const broken: [field: string, advisory: object][] = [
      ["advisories[1].advisoryId", advisory("CGA\0")],
      ["advisories[1].advisoryId", advisory("")],
      ["advisories[1].advisoryId", advisory("CGA-1")],
      ["advisories[1].advisoryId", advisory("x".repeat(257))],
      ["advisories[1].artifactName", advisory("CGA-2", { artifactName: "" })],
      ["advisories[1].artifactType", advisory("CGA-2", { artifactType: "" })],
      ["advisories[1].createTime", advisory("CGA-2", { createTime: future })],
      ["advisories[1].artifactType", advisory("CGA-2", { artifactType: " " })],
      [
        "advisories[1].events[0].products[1]",
        advisory("CGA-2", { events: [{ ...FIXED, products: ["pkg:npm/a@1", "a b"] }] }),
      ],
      ["advisories[1].aliases[0]", advisory("CGA-2", { aliases: [""] })],
      ["advisories[1].aliases", advisory("CGA-2", { aliases: new Array(2_001).fill("CVE") })],
      ["advisories[1].events", advisory("CGA-2", { events: new Array(1_001).fill(FIXED) })],
      [
        "advisories[1].events[0].createTime",
        advisory("CGA-2", { events: [{ ...FIXED, createTime: future }] }),
      ],
      [
        "advisories[1].events[1].type",
        advisory("CGA-2", { events: [FIXED, { createTime: FIXED.createTime }] }),
      ],
      [
        "advisories[1].events[0].fixed.note",
        advisory("CGA-2", { events: [{ ...FIXED, fixed: { note: "x".repeat(4_097) } }] }),
      ],
    ];
    const bad = broken.map(([, one], at) => {
      return { name: `bad ${at}`, advisories: [advisory("CGA-1"), one] };
    });
    const good = { name: "good", advisories: [advisory("CGA-9")] };
    const validated = await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [...bad, good],
      validateOnly: true,
    });
    assert.equal((await api.advisories.list({ uidp: { childrenOf: group } })).totalCount, "0");
    const { results } = await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [...bad, good],
    });
    assert.deepEqual(results, validated.results);
    assert.deepEqual(
      results.slice(0, -1).map((one: { refusals: { field: string }[] }) => one.refusals[0]?.field),
      broken.map(([field]) => field),
    );
    for (const { name, refusals, created } of results.slice(0, -1)) {
      assert.deepEqual([refusals.length, created], [1, 0], name);
    }
    assert.deepEqual(results.at(-1), plain("good", { created: 1 }));
    assert.equal((await api.advisories.list({ uidp: { childrenOf: group } })).totalCount, "1");
  });

  world.rule("documents of one request are applied in order", async (api) => {
    const group = await world.group(org);
    const one = { name: "one", advisories: [advisory("CGA-1")] };
    const two = { name: "two", advisories: [advisory("CGA-1", { events: [FIXED] })] };
    const many = Array.from({ length: 600 }, (_, at) => {
      return { name: `n${at}`, advisories: [advisory(`CGA-n${at}`)] };
    });
    const documents = [one, two, ...many, one];
    for (const more of [{ validateOnly: true }, {}]) {
      const { results } = await api.advisoryImports.importAdvisories({
        parent: group,
        documents,
        ...more,
      });
      assert.deepEqual(results[0], plain("one", { created: 1 }));
      assert.deepEqual(results[1], plain("two", { changed: 1 }));
      assert.equal(results.length, documents.length);
      assert.deepEqual(results.at(-1), plain("one", { unchanged: 1 }));
    }
    const { advisories, totalCount } = await api.advisories.list({
      uidp: { childrenOf: group },
      orderBy: "created_at",
    });
    const [{ advisoryId, events }] = advisories;
    assert.deepEqual([totalCount, advisoryId, events.length], ["601", "CGA-1", 2]);
  });

  world.rule("readers never see partial documents", async (api) => {
    const group = await world.group(org);
    const uidp = { childrenOf: group };
    const advisories = Array.from({ length: 600 }, (_, at) => advisory(`CGA-${at}`));
    const documents = [
      { name: "large", advisories },
      { name: "small", advisories: [advisory("CGA-last")] },
    ];
    let isOver = false;
    const taking = api.advisoryImports
      .importAdvisories({ parent: group, documents })
      .finally(() => {
        isOver = true;
      });
    const seen = new Set<string>();
    while (!isOver) seen.add((await api.advisories.list({ uidp, pageSize: 1 })).totalCount);
    await taking;
    seen.add((await api.advisories.list({ uidp, pageSize: 1 })).totalCount);
    for (const count of seen) assert.ok(["0", "600", "601"].includes(count), count);
    assert.ok(seen.has("601"));
  });

  world.rule("concurrent imports of the same documents import each once", async (api) => {
    const group = await world.group(org);
    const documents = Array.from({ length: 60 }, (_, at) => {
      return { name: `n${at}`, advisories: [advisory(`CGA-${at}`, { events: [DETECTED, FIXED] })] };
    });
    const turned = documents.toReversed();
    const answers = await Promise.all(
      [documents, turned, documents].map((given) =>
        api.advisoryImports.importAdvisories({ parent: group, documents: given }),
      ),
    );
    const sum = (count: string) =>
      answers
        .flatMap(({ results }) => results)
        .reduce((total: number, one: Record<string, number>) => total + (one[count] ?? 0), 0);
    assert.deepEqual(["created", "changed", "unchanged"].map(sum), [60, 0, 120]);
    assert.equal((await api.advisories.list({ uidp: { childrenOf: group } })).totalCount, "60");
  });
});
