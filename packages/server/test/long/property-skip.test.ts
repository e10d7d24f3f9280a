import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { GroupSchema, OrgStatus } from "@wharf/contract";
import fc from "fast-check";
import { groups } from "../../src/iam/groups.ts";
import { ApiClient } from "../support/client/api-client.ts";
import { Http } from "../support/client/http.ts";
import { placeOf } from "../support/oracle/access-model.ts";
import { fetchPage, type ListQuery } from "../support/oracle/pages.ts";
import { FIXED } from "../support/oracle/random.ts";
import { pick } from "../support/oracle/random-plan.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";

/** More rows than a list on the event loop visits. */
const MANY = 12_500;

/** So few that every name is had by hundreds: order among equals matters. */
const NAMES = Array.from({ length: 37 }, (_, at) => `name-${at}`);

/** A group as the oracle remembers it; among equals the older one comes first. */
interface Known {
  readonly uid: string;
  name: string;
  readonly created: number;
  updated: number;
  readonly born: number;
}

type Order = "uid" | "name" | "created_at" | "updated_at";

const FIELDS = { uid: "uid", name: "name", created_at: "created", updated_at: "updated" } as const;

/** The same tree twice: on the server, and as a plain array. */
class Forest {
  readonly root: string;
  readonly folder: string;
  readonly #rest: Http;
  #known: Known[];
  #born: number;

  constructor(rest: Http, root: string, folder: string, known: Known[]) {
    this.#rest = rest;
    this.root = root;
    this.folder = folder;
    this.#known = known;
    this.#born = known.length;
  }

  async insert(number: number): Promise<void> {
    const parent = number % 2 === 0 ? this.root : this.folder;
    const name = pick(NAMES, number);
    const { status, body } = await this.#rest.post(`/iam/v2beta1/groups/${parent}`, { name });
    assert.equal(status, 200);
    const created = Date.parse(body.createTime);
    this.#known.push({ uid: body.uid, name, created, updated: created, born: this.#born++ });
  }

  async remove(number: number): Promise<void> {
    const [gone] = this.#known.splice(number % this.#known.length, 1);
    if (gone?.uid === this.folder) this.#known.push(gone);
    else assert.equal((await this.#rest.delete(`/iam/v2beta1/groups/${gone?.uid}`)).status, 200);
  }

  async rename(number: number): Promise<void> {
    const known = pick(this.#known, number);
    known.name = pick(NAMES, number >> 3);
    const path = `/iam/v2beta1/groups/${known.uid}`;
    const { status, body } = await this.#rest.patch(path, { name: known.name });
    assert.equal(status, 200);
    known.updated = Date.parse(body.updateTime);
  }

  /** The expected items of a list, from first to last. */
  listed({ filter, key, descending }: ListQuery): string[] {
    const matching = this.#known.filter(
      ({ uid }) =>
        (!filter.descendants_of || uid.startsWith(`${filter.descendants_of}/`)) &&
        (!filter.children_of || placeOf(uid) === filter.children_of),
    );
    const field = FIELDS[key];
    const sorted = matching.sort((a, b) => {
      if (a[field] === b[field]) return a.born - b.born;
      return a[field] < b[field] ? -1 : 1;
    });
    const uids = sorted.map(({ uid }) => uid);
    return descending ? uids.reverse() : uids;
  }
}

/** Puts thousands of groups into the store from beside the server, in a fixed order. */
async function plant(direct: DirectStore, root: string, folder: string): Promise<Known[]> {
  const start = Date.parse("2026-01-01T00:00:00Z");
  const known = Array.from({ length: MANY }, (_, born): Known => {
    const parent = born % 2 === 0 ? root : folder;
    const created = start + ((born * 7_919) % 1_000);
    const uid = `${parent}/${randomBytes(8).toString("hex")}`;
    return { uid, name: pick(NAMES, born * 13), created, updated: created, born };
  });
  await direct.store.write(async (tx) => {
    for (const { uid, name, created } of known) {
      const time = timestampFromMs(created);
      const fields = { uid, name, createTime: time, updateTime: time, status: OrgStatus.READY };
      await groups.table.insert(tx, groups.toRow(create(GroupSchema, fields)));
    }
  });
  return known;
}

for (const store of STORES) {
  describe(`deep skips on ${store}`, () => {
    let server: TestServer;
    let direct: DirectStore;
    let forest: Forest;
    let api: ApiClient;
    before(async () => {
      server = await TestServer.start({ store });
      direct = await DirectStore.open(server);
      const rest = new Http(server.url, await direct.token());
      const root = (await rest.post("/iam/v2beta1/groups", { name: "root" })).body.uid;
      const folder = (await rest.post(`/iam/v2beta1/groups/${root}`, { name: "folder" })).body;
      const planted = await plant(direct, root, folder.uid);
      const created = Date.parse(folder.createTime);
      const first = { uid: folder.uid, name: "folder", created, updated: created, born: -1 };
      forest = new Forest(rest, root, folder.uid, [first, ...planted]);
      api = new ApiClient({ url: server.url, token: await direct.token() });
    });
    after(async () => {
      await direct.close();
      assert.equal(await server.stop(), 0);
    });

    const queries = fc.noBias(
      fc.record({
        below: fc.constantFrom("root", "root", "folder"),
        filter: fc.constantFrom("descendants_of", "descendants_of", "children_of"),
        key: fc.constantFrom<Order>("uid", "name", "created_at", "updated_at"),
        descending: fc.boolean(),
        skip: fc.integer({ min: 0, max: MANY + 200 }),
        pageSize: fc.integer({ min: 1, max: 7 }),
      }),
    );
    type Question = typeof queries extends fc.Arbitrary<infer T> ? T : never;

    async function check({ below, filter, key, descending, skip, pageSize }: Question) {
      const query: ListQuery = {
        kind: "groups",
        filter: { [filter]: below === "root" ? forest.root : forest.folder },
        key,
        descending,
      };
      const page = await fetchPage(api, query, { pageSize, skip });
      const uids = forest.listed(query);
      const about = `skip ${skip} of ${filter} ${below} by ${key}${descending ? " desc" : ""}`;
      assert.deepEqual(
        page.items.map((item) => item.uid),
        uids.slice(skip, skip + pageSize),
        about,
      );
      assert.equal(page.totalCount, uids.length, about);
      assert.equal(page.skipped, skip, about);
      assert.equal(page.nextPageToken !== "", skip + pageSize < uids.length, about);
      if (page.nextPageToken === "") return;
      const next = await fetchPage(api, query, {
        pageSize,
        pageToken: page.nextPageToken,
        skip: 2,
      });
      const at = skip + pageSize + 2;
      assert.deepEqual(
        next.items.map((item) => item.uid),
        uids.slice(at, at + pageSize),
        `the page after ${about}`,
      );
    }

    test("stay exact while groups are created, deleted and renamed", async () => {
      const steps = fc.record({
        change: fc.constantFrom("insert", "remove", "rename"),
        number: fc.nat(1_000_000),
        questions: fc.array(queries, { minLength: 1, maxLength: 2 }),
      });
      const property = fc.asyncProperty(steps, async ({ change, number, questions }) => {
        // Asked before, so that something is remembered that the change makes untrue.
        for (const question of questions) await check(question);
        await forest[change](number);
        for (const question of questions) await check(question);
      });
      await fc.assert(property, { ...FIXED, numRuns: store === "sqlite" ? 60 : 25 });
    });

    test("stay exact under concurrent requests", async () => {
      const together = fc.array(queries, { minLength: 6, maxLength: 6 });
      const property = fc.asyncProperty(queries, together, async (one, others) => {
        // The same list, so that they share what is remembered of it; a change made it forget.
        await forest.insert(one.skip);
        await Promise.all(others.map(({ skip }) => check({ ...one, skip })));
        await check({ ...one, skip: MANY - 500 });
      });
      await fc.assert(property, { ...FIXED, numRuns: 12 });
    });
  });
}
