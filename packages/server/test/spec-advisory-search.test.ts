import assert from "node:assert/strict";
import { after, before } from "node:test";
import fc from "fast-check";
import { RESOURCES } from "../src/app/resources.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { FIXED } from "./support/oracle/random.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { advisoryOf, writing } from "./support/world/advisories.ts";
import { onEachStore } from "./support/world/world.ts";

/** An advisory as the model keeps it, in the order of insertion. */
interface Known {
  readonly uid: string;
  readonly group: string;
  /** The artifact, the component and the aliases. */
  texts: readonly string[];
  type: string;
  updated: number;
  isDeleted: boolean;
}

/** Characters that change when they are folded, that databases treat specially, and of all lengths in UTF-8. */
const characters = fc.constantFrom(
  ..."abcABC019-_%\\'\" \tİıßẞΣσςǅǆÀàé e\u0301Жж日本😀𐐀𐐨\ufffd".split(""),
  "CVE",
  "cve-",
);
const word = fc.array(characters, { maxLength: 8 }).map((some) => some.join("").toWellFormed());
const texts = fc.tuple(word, word, fc.uniqueArray(word, { maxLength: 3 }));
const type = fc.constantFrom("apk", "image");

/** Writes of one transaction. */
const write = fc.record({
  group: fc.nat({ max: 2 }),
  inserts: fc.array(fc.tuple(texts, type), { maxLength: 6 }),
  updates: fc.array(fc.tuple(fc.nat(), texts, type), { maxLength: 3 }),
  deletes: fc.array(fc.nat(), { maxLength: 1 }),
});

const search = fc.record({
  /** A part of a text that some advisory has, or any other. */
  text: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 9 })),
    },
    { weight: 1, arbitrary: word.filter((one) => one !== "") },
  ),
  flipsCase: fc.boolean(),
  below: fc.constantFrom("everything", "descendantsOf", "childrenOf"),
  group: fc.nat({ max: 2 }),
  artifactType: fc.option(type, { nil: undefined }),
  showDeleted: fc.boolean(),
  since: fc.option(fc.nat(), { nil: undefined, freq: 4 }),
  orderBy: fc.constantFrom("uid", "uid desc", "created_at", "updated_at desc", "updated_at"),
  skip: fc.nat({ max: 4 }),
  pageSize: fc.integer({ min: 1, max: 9 }),
});

const fold = (text: string) => text.toLowerCase().toWellFormed();

onEachStore("text search of advisories", (world) => {
  let direct: DirectStore;
  let groups: string[];
  const known: Known[] = [];
  let number = 0;
  before(async () => {
    direct = await DirectStore.open(world.server);
    const org = await world.organization();
    const below = await world.group(org);
    groups = [org, below, await world.group(below)];
  });
  after(() => direct.close());

  type Texts = readonly [artifact: string, component: string, aliases: readonly string[]];
  const advisory = ([artifactName, componentName, aliases]: Texts, artifactType: string) => ({
    artifactName,
    componentName,
    aliases: [...aliases],
    artifactType,
  });

  /** Writes as another replica would. */
  async function apply({
    group: at,
    inserts,
    updates,
    deletes,
  }: typeof write extends fc.Arbitrary<infer W> ? W : never) {
    const group = groups[at] as string;
    const own = known.filter((one) => one.group === group && !one.isDeleted);
    const pick = (index: number) => own[index % own.length];
    await writing(direct, group, async (writer) => {
      for (const [given, artifactType] of inserts) {
        const advisoryId = `CGA-${number++}`;
        const made = await writer.insert(
          advisoryOf({ advisoryId, ...advisory(given, artifactType) }),
        );
        const [artifact, component, aliases] = given;
        known.push({
          uid: made.uid,
          group,
          texts: [artifact, component, ...aliases],
          type: artifactType,
          updated: writer.time,
          isDeleted: false,
        });
      }
      for (const [index, given, artifactType] of updates) {
        const one = pick(index);
        if (one === undefined) continue;
        await writer.update({
          ...(await writer.findByUid(one.uid)),
          ...advisory(given, artifactType),
        });
        const [artifact, component, aliases] = given;
        Object.assign(one, {
          texts: [artifact, component, ...aliases],
          type: artifactType,
          updated: writer.time,
        });
      }
      for (const one of deletes.flatMap((index) => pick(index) ?? [])) {
        await writer.delete(await writer.findByUid(one.uid));
        Object.assign(one, { updated: writer.time, isDeleted: true });
      }
    });
  }

  type Search = typeof search extends fc.Arbitrary<infer S> ? S : never;

  function textOf({ text, flipsCase }: Search): string {
    if (typeof text === "string") return text;
    const [row, of, from, length] = text;
    const own = known[row % Math.max(known.length, 1)]?.texts ?? ["a"];
    const whole = own[of % own.length] ?? "";
    const part = whole
      .slice(from % Math.max(whole.length, 1))
      .slice(0, length)
      .toWellFormed();
    return (flipsCase ? part.toUpperCase() : part) || "a";
  }

  /** The expected result of a search, from testing every advisory. */
  function expected(asked: Search, query: string, since: number | undefined): string[] {
    const top = groups[asked.group] as string;
    const isWithin = (group: string) => {
      if (asked.below === "everything") return true;
      return asked.below === "childrenOf" ? group === top : `${group}/`.startsWith(`${top}/`);
    };
    const found = known.filter(
      (one) =>
        isWithin(one.group) &&
        (asked.showDeleted || since !== undefined || !one.isDeleted) &&
        (since === undefined || one.updated >= since) &&
        (asked.artifactType === undefined || one.type === asked.artifactType) &&
        one.texts.some((text) => fold(text).includes(fold(query))),
    );
    const [column, direction] = asked.orderBy.split(" ");
    if (column === "uid") found.sort((a, b) => (a.uid < b.uid ? -1 : 1));
    if (column === "updated_at")
      found.sort((a, b) => a.updated - b.updated || known.indexOf(a) - known.indexOf(b));
    return (direction === "desc" ? found.reverse() : found).map(({ uid }) => uid);
  }

  async function check(api: ApiClient, asked: Search): Promise<void> {
    const query = textOf(asked);
    const { below, group, artifactType, showDeleted, orderBy, pageSize, skip } = asked;
    const since =
      asked.since === undefined
        ? undefined
        : known[asked.since % Math.max(known.length, 1)]?.updated;
    const request = {
      query,
      showDeleted,
      orderBy,
      pageSize,
      ...(below === "everything" ? {} : { uidp: { [below]: groups[group] } }),
      ...(artifactType === undefined ? {} : { artifactTypes: [artifactType] }),
      ...(since === undefined ? {} : { updatedSince: new Date(since).toISOString() }),
    };
    const whole = expected(asked, query, since);
    const found: string[] = [];
    for (let pageToken = "", first = true; first || pageToken !== ""; first = false) {
      const page = await api.advisories.list({ ...request, pageToken, skip: first ? skip : 0 });
      found.push(...page.advisories.map(({ uid }: { uid: string }) => uid));
      assert.equal(page.totalCount, String(whole.length), JSON.stringify(request));
      pageToken = page.nextPageToken;
    }
    assert.deepEqual(found, whole.slice(skip), JSON.stringify(request));
  }

  world.rule("finds what testing every advisory finds, after every write", async (api) => {
    const steps = fc.record({
      write,
      searches: fc.array(search, { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(steps, async (step) => {
        await apply(step.write);
        for (const one of step.searches) await check(api, one);
      }),
      { ...FIXED, numRuns: 25 },
    );
    assert.ok(known.length > 30 && known.some(({ isDeleted }) => isDeleted));
  });

  world.rule("misses nothing that was written before, while others write", async (api) => {
    const group = await world.group(groups[0] as string);
    let begun = 0;
    let committed = 0;
    const writes = async () => {
      while (begun < 20) {
        const advisoryId = `CGA-meanwhile-${begun++}`;
        await writing(direct, group, (writer) =>
          writer.insert(advisoryOf({ advisoryId, aliases: ["CVE-meanwhile"] })),
        );
        committed++;
      }
    };
    const searches = async (orderBy: string) => {
      while (committed < 20) {
        const least = committed;
        const page = await api.advisories.list({ query: "-MEAN", orderBy, pageSize: 200 });
        const found = page.advisories.length;
        assert.ok(found >= least && found <= begun, `${found} of ${least} to ${begun}`);
        assert.ok(Number(page.totalCount) >= found, `${page.totalCount} of ${found}`);
      }
    };
    await Promise.all([writes(), ...["", "created_at", "updated_at desc"].map(searches)]);
  });

  world.rule("forgets advisories that are deleted without a tombstone", async (api) => {
    const group = await world.group(groups[0] as string);
    const kept = await world.group(groups[0] as string);
    const count = async () => (await api.advisories.list({ query: "vanish" })).totalCount;
    for (const one of [group, kept]) {
      await writing(direct, one, async (writer) => {
        for (const advisoryId of ["CGA-1", "CGA-2"]) {
          await writer.insert(advisoryOf({ advisoryId, aliases: ["CVE-vanishing"] }));
        }
      });
    }
    assert.equal(await count(), "4");
    const { table } = RESOURCES.advisories;
    assert.equal(await direct.store.write((tx) => table.deleteChildren(tx, group, 10)), 2);
    assert.equal(await count(), "2");
    assert.equal(await direct.store.write((tx) => table.deleteChildren(tx, kept, 1)), 1);
    assert.equal(await count(), "1");
    await direct.store.write((tx) => table.deleteChildren(tx, kept, 1));
    assert.equal(await count(), "0");
  });
});
