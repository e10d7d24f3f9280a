import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { type ApiClient, PROTOCOLS, type Protocol } from "../support/client/api-client.ts";
import { EVENT_TYPES, isShown, type Stored, type Wish } from "../support/oracle/advisory-model.ts";
import { FIXED, SEED } from "../support/oracle/random.ts";
import { RandomAdvisories } from "../support/oracle/random-advisories.ts";
import { pick } from "../support/oracle/random-plan.ts";
import { onEachStore } from "../support/world/world.ts";

const CHANGES = 70;

/** The number of lists that are compared. */
const QUERIES = 250;

const ORDERS = ["uid", "created_at", "updated_at"] as const;
const STATES = ["PENDING", "APPROVED", "REQUEST_CHANGES", "REJECTED"].map(
  (state) => `REVIEW_STATE_${state}`,
);

/** A filter made from an advisory that it lets through, or from nothing at all. */
type Make = (one: Stored, other: Stored, at: number) => Wish;

const someOf = (values: readonly string[], at: number) =>
  values.length === 0 ? ["none"] : [pick(values, at), pick(values, at >> 2), pick(values, at)];

/** Every filter there is. Values are repeated, as clients do. */
const MAKERS: readonly Make[] = [
  (one, other) => ({ advisoryIds: [one.advisoryId, other.advisoryId, "CGA-none"] }),
  (one) => ({ legacyAdvisoryIds: [one.legacyAdvisoryId ?? "CVE-old-1", "CVE-old-2"] }),
  (one) => ({ artifactNames: [one.artifactName] }),
  (one, other) => ({ artifactNames: [one.artifactName, other.artifactName] }),
  (one, other) => ({ artifactTypes: [one.artifactType, other.artifactType] }),
  (one) => ({ artifactArchitectures: [one.artifactArchitecture, "none"] }),
  (one) => ({ componentNames: [one.componentName] }),
  (one, other) => ({ componentTypes: [one.componentType, other.componentType] }),
  (one) => ({ componentLocations: [one.componentLocation] }),
  (one, _, at) => ({ aliases: someOf(one.aliases, at) }),
  (one) => ({ origin: one.artifactName }),
  (one, other) => ({ origin: one.artifactName, artifactNames: [other.artifactName] }),
  (_, __, at) => ({ eventReviewStates: someOf(STATES, at) }),
  (one, _, at) => ({
    eventAuthors: someOf(
      one.events.map(({ author }) => author),
      at,
    ),
  }),
  (one, _, at) => ({
    excludeEventAuthors: someOf(
      one.events.map(({ author }) => author),
      at,
    ),
  }),
  (one, _, at) => ({
    eventReviewers: someOf(one.events.map(({ reviewer }) => reviewer).filter(Boolean), at),
  }),
  (_, __, at) => ({ eventTypes: someOf(Object.values(EVENT_TYPES), at) }),
  (_, __, at) => ({ latestEventType: pick(Object.values(EVENT_TYPES), at) }),
  (one, _, at) => ({ query: partOf([one.artifactName, one.componentName, ...one.aliases], at) }),
  (one, _, at) => ({ query: partOf([one.artifactName], at).toUpperCase() }),
  (_, __, at) => ({ query: pick(["%", "_", "\\", "'", "no such thing"], at) }),
  (one) => ({ updatedSince: one.updateTime }),
  (one) => ({ updatedSince: new Date(Date.parse(one.updateTime) + 1).toISOString() }),
  () => ({ showDeleted: true }),
];

/** A piece of one of some texts. */
function partOf(texts: readonly string[], at: number): string {
  const text = pick(
    texts.filter((one) => one !== ""),
    at,
  );
  const start = at % text.length;
  return text.slice(start, start + 1 + (at % 4));
}

/** A query of a world, whose operands are numbers. */
const questions = fc.noBias(
  fc.record({
    caller: fc.nat(999),
    targets: fc.tuple(fc.nat(999), fc.nat(999)),
    filters: fc.array(fc.nat(999), { maxLength: 4 }),
    where: fc.nat(999),
    order: fc.nat(999),
    protocol: fc.constantFrom<Protocol>(...PROTOCOLS),
    sizes: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 }),
    skip: fc.integer({ min: 0, max: 12 }),
  }),
);

type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never;

onEachStore("lists of advisories", (world) => {
  let made: RandomAdvisories;
  before(async () => {
    made = new RandomAdvisories(world, SEED);
    await made.build(CHANGES);
    const deleted = made.all.filter(({ deleteTime }) => deleteTime !== undefined);
    assert.ok(made.all.length > 50 && deleted.length > 3, `${made.all.length}, ${deleted.length}`);
  });

  function whereOf({ where }: Question, one: Stored, other: Stored): Wish {
    const group = one.uid.slice(0, one.uid.lastIndexOf("/"));
    const below = made.groups.find((uid) => uid.startsWith(`${group}/`)) ?? group;
    switch (where % 9) {
      case 0:
        return { uidp: { childrenOf: group } };
      case 1:
        return { uidp: { descendantsOf: group } };
      case 2:
        return { uidp: { descendantsOf: group.slice(0, 40) } };
      case 3:
        return { uidp: { ids: [one.uid, other.uid, one.uid, `${group}/${"0".repeat(16)}`] } };
      case 4:
        return { uidp: { ancestorsOf: below } };
      case 5:
        return { uidp: { ancestorsOf: below, descendantsOf: group } };
      case 6:
        return { uidp: { ids: made.all.map(({ uid }) => uid), descendantsOf: group } };
      case 7:
        return { uidp: { inRoot: true } };
      default:
        return {};
    }
  }

  interface Asked {
    readonly api: ApiClient;
    readonly wish: Wish & { orderBy?: string };
    readonly order: (typeof ORDERS)[number];
    readonly isDescending: boolean;
    readonly wanted: readonly Stored[];
  }

  function asked(question: Question): Asked {
    const member = question.caller % 6 === 0 ? undefined : pick(made.callers, question.caller);
    const places = member && (made.places.get(member.uid) as string[]);
    const seen = made.all.filter((one) => isShown(one, { showDeleted: true }, places, []));
    const [one, other] = question.targets.map((at) => {
      return pick(seen.length > 0 && at % 5 > 0 ? seen : made.all, at);
    }) as [Stored, Stored];
    const filters = question.filters.map((at, number) => {
      return (pick(MAKERS, at) as Make)(one, other, at + number);
    });
    const wish: Wish = Object.assign({}, whereOf(question, one, other), ...filters);
    const operator = world.operator(question.protocol);
    const isDescending = question.order % 2 === 0;
    const order = pick(ORDERS, question.order >> 1);
    return {
      api: member === undefined ? operator : operator.as(member.token),
      wish: { ...wish, orderBy: `${order}${isDescending ? " desc" : ""}` },
      ...{ order, isDescending },
      wanted: made.all.filter((advisory) => isShown(advisory, wish, places, made.built)),
    };
  }

  async function check(question: Question): Promise<number> {
    const { api, wish, order, isDescending, wanted } = asked(question);
    const about = JSON.stringify(wish);
    const total = String(wanted.length);
    const shown: Stored[] = [];
    let pageToken = "";
    for (let step = 0; step === 0 || pageToken !== ""; step++) {
      const pageSize = pick(question.sizes, step);
      const page = await api.advisories.list({ ...wish, pageSize, pageToken });
      assert.deepEqual([page.totalCount, page.skipped], [total, 0], about);
      shown.push(...page.advisories);
      pageToken = page.nextPageToken;
      const isFull = page.advisories.length === pageSize;
      assert.ok(isFull || pageToken === "", `pages are full, but for the last: ${about}`);
      assert.equal(pageToken === "", shown.length >= wanted.length, about);
    }
    const byUid = (all: readonly Stored[]) => all.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
    assert.deepEqual(byUid(shown), byUid(wanted), about);
    const key = { uid: "uid", created_at: "createTime", updated_at: "updateTime" } as const;
    const keys = shown.map((one) => one[key[order]]);
    assert.deepEqual(keys, isDescending ? keys.toSorted().reverse() : keys.toSorted(), about);
    await checkSkips(api, wish, shown, question);
    return wanted.length;
  }

  /** Skipping, from the start and from within, comes to the same rows. */
  async function checkSkips(
    api: ApiClient,
    wish: object,
    shown: readonly Stored[],
    { sizes, skip }: Question,
  ): Promise<void> {
    const about = `${skip} skipped: ${JSON.stringify(wish)}`;
    const pageSize = pick(sizes, 0);
    const first = await api.advisories.list({ ...wish, pageSize, skip });
    assert.deepEqual(first.advisories, shown.slice(skip, skip + pageSize), about);
    assert.deepEqual([first.skipped, first.totalCount], [skip, String(shown.length)], about);
    if (first.nextPageToken === "") return;
    const more = { pageToken: first.nextPageToken, skip: 2, pageSize: 3 };
    const second = await api.advisories.list({ ...wish, ...more });
    const from = skip + pageSize + 2;
    assert.deepEqual(second.advisories, shown.slice(from, from + 3), about);
    assert.equal(second.skipped, skip + 2, about);
  }

  test("return exactly the matching visible rows, in order, in consistent pages", async () => {
    let found = 0;
    const property = fc.asyncProperty(questions, async (question) => {
      if ((await check(question)) > 0) found += 1;
    });
    await fc.assert(property, { ...FIXED, numRuns: QUERIES });
    assert.ok(found > QUERIES / 5, `only ${found} found anything`);
  });

  test("each filter alone is exact, for every caller", async () => {
    for (const [at] of MAKERS.entries()) {
      for (const caller of [0, 1, 2, 3]) {
        const protocol = pick(PROTOCOLS, at + caller);
        const common = { targets: [at * 7, at * 3], order: at, sizes: [11], skip: 3, where: 8 };
        await check({ ...common, caller, protocol, filters: [at] } as unknown as Question);
      }
    }
  });

  test("a page token is valid for its own query only", async () => {
    const api = world.operator();
    const { nextPageToken: pageToken } = await api.advisories.list({ pageSize: 1 });
    for (const other of [
      ...[{ orderBy: "uid desc" }, { showDeleted: true }, { query: "o" }, { aliases: ["x"] }],
      ...[{ uidp: { childrenOf: made.groups[0] } }, { updatedSince: "1970-01-01T00:00:00Z" }],
    ]) {
      const asking = api.advisories.list({ pageSize: 1, pageToken, ...other });
      await assert.rejects(asking, /pageToken/);
    }
    // It is a position, and no right.
    for (const { uid, token } of made.callers) {
      const places = made.places.get(uid) as string[];
      const page = await api.as(token).advisories.list({ pageToken, pageSize: 200 });
      const seen = made.all.filter((one) => isShown(one, {}, places, []));
      for (const one of page.advisories) assert.ok(seen.some((other) => other.uid === one.uid));
    }
  });
});
