/** Tests that both versions over both protocols do the same. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { rejected } from "../client/api-error.ts";
import type { StartOptions } from "../server/test-server.ts";
import { onEachStore, type World } from "../world/world.ts";
import { COMBINATIONS, ComparedClient, type Facts, type Subject } from "./resources.ts";

/** The parent of the resources of a kind that a suite creates, and samples of them. */
export interface SubjectFixture {
  readonly parent: string;
  /** All facts of a sample; samples differ by their number. */
  sample(number: number): Facts;
  /** The minimal facts of an update. */
  readonly change: Facts;
  /** Facts that a replacement must say again. */
  readonly required?: readonly string[];
  /** The other facts of a sample after a replacement without them. */
  readonly reset: Facts;
  /** Facts that no sample may have: rejected as INVALID_ARGUMENT. */
  readonly invalid: Facts;
  /** Creates another parent, where each resource needs a parent of its own. */
  another?(): Promise<string>;
}

/** A kind of resource that both versions have, as the suite below uses it. */
export interface Compared extends Subject {
  prepare(world: World): Promise<SubjectFixture>;
  /** Whether lists of both versions filter by name. */
  readonly findsByName?: boolean;
  /** Whether there is no update. */
  readonly neverChanges?: boolean;
  /** Whether deleting what does not exist succeeds. */
  readonly deleteIsIdempotent?: boolean;
}

/** Looks like a uid, and is nobody's. */
const NOWHERE = "0123456789".repeat(4);

/**
 * The same operations in both versions over both protocols: they leave the same state, return the same facts and reject
 * alike.
 *
 * @example differential("groups and roles", [GROUPS, ROLES]);
 */
export function differential(
  title: string,
  subjects: readonly Compared[],
  options: StartOptions = {},
): void {
  const suite = (world: World) => {
    for (const subject of subjects) describe(subject.title, () => compare(world, subject));
  };
  onEachStore(`both versions of ${title}`, suite, options);
}

function compare(world: World, subject: Compared): void {
  let fixture: SubjectFixture;
  let made = 0;
  before(async () => {
    fixture = await subject.prepare(world);
  });
  const clients = (token = world.operator().token) => ComparedClient.all(world.server.url, token);
  const client = (name: string) => clients().find((one) => one.name === name) as ComparedClient;
  const parentOfNext = async () => (await fixture.another?.()) ?? fixture.parent;
  const make = async (by: ComparedClient) => {
    return by.create(subject, await parentOfNext(), fixture.sample(made++));
  };
  const all = (one: string) => {
    return Promise.all(clients().map((each) => each.list(subject, { id: one })));
  };
  const alike = async (expected: Facts) => {
    for (const shown of await all(expected.id)) assert.deepEqual(shown, [expected]);
  };

  // Stores and protocols are independent: each version acts over one protocol on SQLite, over the
  // other on PostgreSQL. All four show what came of it.
  const acting = COMBINATIONS.filter(({ version, protocol }) => {
    const isTurned = version === "v1";
    return protocol === ((world.store === "sqlite") === isTurned ? "gRPC" : "REST");
  });
  const actors = (token?: string) =>
    clients(token).filter((each) => acting.some(({ name }) => name === each.name));

  const updating = (title: string, check: () => Promise<void>) => {
    if (!subject.neverChanges) test(title, check);
  };

  for (const { name } of acting) {
    test(`what ${name} makes, all show alike`, async () => {
      const parent = await parentOfNext();
      const sample = fixture.sample(made++);
      const one = await client(name).create(subject, parent, sample);
      assert.deepEqual({ ...one, ...sample }, one, "it is what was asked for");
      await alike(one);
      const got = await client("v2beta1 REST").api[subject.collection].get(one.id);
      assert.deepEqual(subject.fromV2(got), one);
      for (const each of clients()) {
        const below = await each.list(subject, { childrenOf: parent });
        assert.deepEqual(
          below.find((other) => other.id === one.id),
          one,
          each.name,
        );
        if (!subject.findsByName) continue;
        const named = await each.list(subject, { childrenOf: parent, name: one.name });
        assert.deepEqual(named, [one], each.name);
      }
    });

    updating(`what ${name} replaces is reset where nothing is said`, async () => {
      const one = await make(client("v2beta1 REST"));
      const { change, reset, required = [] } = fixture;
      const again = Object.entries(one).filter(([fact]) => required.includes(fact));
      const said = { ...Object.fromEntries(again), ...change };
      const now = await client(name).replace(subject, one.id, said);
      assert.deepEqual(settled(now), settled({ ...one, ...reset, ...change }));
      await alike(now);
    });

    test(`what ${name} deletes is gone in all`, async () => {
      const one = await make(client("v1 REST"));
      await client(name).delete(subject, one.id);
      assert.deepEqual(
        await all(one.id),
        COMBINATIONS.map(() => []),
      );
    });
  }

  for (const { name, version } of acting) {
    if (version === "v1") continue;
    updating(`what ${name} changes is kept where nothing is said`, async () => {
      const one = await make(client("v1 gRPC"));
      const { change } = fixture;
      const now = await client(name).change(subject, one.id, change);
      assert.deepEqual(settled(now), settled({ ...one, ...change }));
      await alike(now);
    });
  }

  test("who may see some sees the same in all, and others nothing", async () => {
    const one = await make(client("v2beta1 gRPC"));
    const root = one.id.slice(0, 40);
    const [member, stranger] = [await world.member({ [root]: "owner" }), await world.member()];
    for (const each of clients(member.token))
      assert.deepEqual(await each.list(subject, { id: one.id }), [one]);
    for (const each of clients(stranger.token))
      assert.deepEqual(await each.list(subject, { id: one.id }), []);
  });

  test("all refuse alike, and nothing changes", async () => {
    const one = await make(client("v1 REST"));
    const stranger = await world.member();
    const parent = await parentOfNext();
    const next = fixture.sample(made++);
    const { change, invalid } = fixture;
    const missing = `${NOWHERE}/${NOWHERE.slice(0, 16)}`;
    const refusals: [code: number, attempt: (each: ComparedClient) => Promise<unknown>][] = [
      [16, (each) => each.as("").create(subject, parent, next)],
      [7, (each) => each.as(stranger.token).create(subject, parent, next)],
      [3, (each) => each.create(subject, parent, { ...next, ...invalid })],
      [5, (each) => each.create(subject, NOWHERE, next)],
      [16, (each) => each.as("").list(subject, { id: one.id })],
      [16, (each) => each.as("").delete(subject, one.id)],
      [7, (each) => each.as(stranger.token).delete(subject, one.id)],
    ];
    if (!subject.deleteIsIdempotent) refusals.push([5, (each) => each.delete(subject, missing)]);
    if (!subject.neverChanges) {
      refusals.push(
        [16, (each) => each.as("").replace(subject, one.id, change)],
        [7, (each) => each.as(stranger.token).replace(subject, one.id, change)],
        [3, (each) => each.replace(subject, one.id, { ...change, ...invalid })],
        [5, (each) => each.replace(subject, missing, change)],
      );
    }
    const before = await client("v2beta1 REST").list(subject, { childrenOf: parent });
    for (const [at, [code, attempt]] of refusals.entries()) {
      for (const each of actors()) {
        const refusal = await rejected(attempt(each));
        assert.equal(refusal.code, code, `${at}, ${each.name}: ${refusal.message}`);
      }
    }
    await alike(one);
    assert.deepEqual(await client("v2beta1 REST").list(subject, { childrenOf: parent }), before);
    if (subject.deleteIsIdempotent)
      for (const each of actors()) await each.delete(subject, missing);
  });
}

/** Facts without the time of their last change, which any change moves. */
function settled({ updatedAt: _, ...facts }: Facts): Facts {
  return facts;
}
