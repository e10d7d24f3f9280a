import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AuditFilterSchema, type AuditOutcome, Capability, CapabilitySet } from "@wharf/contract";
import type { CheckpointLine, EntryLine, HeaderLine } from "@wharf/contract/audit";
import fc from "fast-check";
import { Verifier } from "../../cli/src/audit/verify/verifier.ts";
import { Checkpoints } from "../src/audit/checkpoints.ts";
import { outcomeOf, queryOf } from "../src/audit/filter.ts";
import { jsonOf } from "../src/audit/message.ts";
import { deleteExpiredEntries } from "../src/audit/retention.ts";
import { Grants } from "../src/auth/grants.ts";
import type { SigningKeys } from "../src/auth/keys.ts";
import { Secrets } from "../src/secrets/secrets.ts";
import type { Reader } from "../src/store/db/connection.ts";
import type { Store } from "../src/store/db/store.ts";
import { writeAudit } from "../src/store/tables/audit/audit-and-events.ts";
import { readCheckpoints, readCheckpointsAfter } from "../src/store/tables/audit/checkpoints.ts";
import {
  auditIds,
  GROUP_IDS,
  readAuditRange,
  type StoredAuditEntry,
} from "../src/store/tables/audit/entries.ts";
import {
  countAuditByTime,
  readAuditBetween,
  readAuditPage,
} from "../src/store/tables/audit/search.ts";
import {
  entryAt,
  GROUPS,
  hex,
  matches,
  NO_UID,
  PATTERNS,
  REQUEST,
  ROOTS,
} from "./support/oracle/audit-search.ts";
import { runs, usualTest } from "./support/oracle/runs.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES } from "./support/server/test-server.ts";

const EVERYTHING = Grants.everywhere(CapabilitySet.of(Capability.CAP_AUDIT_LIST));

for (const kind of STORES) {
  describe(`a search of the audit log, on ${kind}`, () => {
    let database: NewDatabase;
    let store: Store;
    const COUNT = 2 * GROUP_IDS + 300;
    const write = async (from: number, to: number) => {
      for (let at = from; at < to; at += 100) {
        const batch = Array.from({ length: Math.min(100, to - at) }, (_, of) => entryAt(at + of));
        await store.write(async (tx) => {
          for (const entry of batch) writeAudit(tx, entry);
        });
      }
    };
    const all = () => readAuditRange(store.reader, 0, 1e12, 1e6);
    before(async () => {
      database = await NewDatabase.of(kind);
      store = await database.store();
      await write(0, COUNT);
    });
    after(() => database.close());

    const grantsOf = (scopes: readonly string[] | undefined) => {
      if (scopes === undefined) return EVERYTHING;
      const held = CapabilitySet.of(Capability.CAP_AUDIT_LIST);
      return Grants.at(scopes.map((scope) => [scope, held] as const));
    };

    test("pages and totals are those of a plain scan", async () => {
      const rows = await all();
      assert.equal(rows.length, COUNT);
      const property = fc.asyncProperty(REQUEST, async (request) => {
        const { filter, scopes, descending, limit, skip } = request;
        if (filter.since && filter.until && filter.until.seconds <= filter.since.seconds) return;
        const found = rows.filter((row) => matches(row, filter, scopes)).map(({ id }) => id);
        if (descending) found.reverse();
        const query = queryOf(grantsOf(scopes), filter);
        const first = await readAuditPage(store.reader, query, { descending, skip, limit });
        assert.equal(first.total, found.length);
        const ids = first.entries.map(({ id }) => id);
        assert.deepEqual(ids, found.slice(skip, skip + limit));
        const after = ids.at(-1);
        if (after === undefined) return;
        const next = { descending, after, skip: 0, limit };
        const { entries, total } = await readAuditPage(store.reader, query, next);
        assert.equal(total, found.length);
        assert.deepEqual(
          entries.map(({ id }) => id),
          found.slice(skip + limit, skip + 2 * limit),
        );
      });
      await fc.assert(property, { numRuns: runs(20, 200) });
    });

    usualTest("each scope and each pattern alone finds what a plain scan does", async () => {
      const rows = await all();
      const page = { descending: false, skip: 0, limit: COUNT };
      const requests = [
        ...GROUPS.map((scope) => ({ scopes: [scope], filter: create(AuditFilterSchema) })),
        ...PATTERNS.map((method) => ({
          scopes: undefined,
          filter: create(AuditFilterSchema, { method }),
        })),
      ];
      for (const { scopes, filter } of requests) {
        const query = queryOf(grantsOf(scopes), filter);
        const { entries } = await readAuditPage(store.reader, query, page);
        const expected = rows.filter((row) => matches(row, filter, scopes));
        assert.equal(entries.length, expected.length, scopes?.[0] ?? filter.method);
        assert.deepEqual(entries, expected);
      }
    });

    test("consecutive reads have every entry once", async () => {
      const rows = await all();
      const property = fc.asyncProperty(REQUEST, async ({ filter, scopes, limit }) => {
        if (filter.since && filter.until && filter.until.seconds <= filter.since.seconds) return;
        const below = (rows.at(-200)?.id ?? 0) + 1;
        const expected = rows.filter((row) => row.id < below && matches(row, filter, scopes));
        const query = queryOf(grantsOf(scopes), filter);
        const found: StoredAuditEntry[] = [];
        for (let after = 0; after < below - 1; ) {
          const part = await readAuditBetween(store.reader, query, { after, below, limit });
          found.push(...part.entries);
          after = part.reached;
        }
        assert.deepEqual(found, expected);
      });
      await fc.assert(property, { numRuns: runs(10, 100) });
    });

    test("counts over time are those of a plain scan", async () => {
      const rows = await all();
      const [since, until] = [1_002_000, 1_019_000];
      const bounds = { since: timestampFromMs(since), until: timestampFromMs(until) };
      const intervals = fc.integer({ min: 1, max: 100 });
      const property = fc.asyncProperty(REQUEST, intervals, async (request, count) => {
        const filter = create(AuditFilterSchema, { ...request.filter, ...bounds });
        const query = { ...queryOf(grantsOf(request.scopes), filter), since, until };
        const expected = new Map<string, number>();
        for (const row of rows.filter((one) => matches(one, filter, request.scopes))) {
          const at = Math.floor(((row.time - since) * count) / (until - since));
          const key = `${at} ${outcomeOf(row.code)}`;
          expected.set(key, (expected.get(key) ?? 0) + 1);
        }
        const found = new Map<string, number>();
        for (const { interval, code, total } of await countAuditByTime(
          store.reader,
          query,
          count,
        )) {
          const key = `${interval} ${outcomeOf(code)}`;
          found.set(key, (found.get(key) ?? 0) + total);
        }
        assert.deepEqual(new Map([...found].sort()), new Map([...expected].sort()));
      });
      await fc.assert(property, { numRuns: runs(10, 100) });
    });

    usualTest("rows and total are read by one statement, beside the event loop", async () => {
      const statements: string[] = [];
      const costly: Reader = Object.create(store.reader, {
        all: {
          value: (sql: string, ...params: []) => {
            statements.push(sql);
            return store.reader.all(sql, ...params);
          },
        },
      });
      const reader: Reader = Object.create(store.reader, {
        costly: { value: costly },
        get: { value: store.reader.get.bind(store.reader) },
        all: { value: () => assert.fail("a search on the event loop") },
      });
      const query = queryOf(EVERYTHING);
      const page = { descending: true, skip: 0, limit: 10 };
      assert.equal((await readAuditPage(reader, query, page)).total, COUNT);
      assert.equal(statements.length, 1);
      await countAuditByTime(reader, { ...query, since: 0, until: 1 }, 1);
      assert.equal(statements.length, 2);
      const { last } = await auditIds(store.reader);
      await readAuditBetween(reader, query, { after: 0, below: last, limit: 10 });
      assert.equal(statements.length, 3);
      await assert.rejects(
        readAuditBetween(reader, query, { after: last - 10, below: last, limit: 10 }),
        /a search on the event loop/,
        "few entries are not worth it",
      );
    });

    if (kind === "sqlite") {
      usualTest("a search reads the index alone, of the roots and times it asks for", async () => {
        const statements: [string, ...never[]][] = [];
        const reader: Reader = Object.create(store.reader, {
          all: {
            value: (...statement: [string, ...never[]]) => {
              statements.push(statement);
              return store.reader.all(...statement);
            },
          },
        });
        const filter = create(AuditFilterSchema, {
          ...{
            resource: `${ROOTS[0]}/${hex(1)}`,
            actor: "0".repeat(40),
            method: "*Delete",
            via: "rest",
          },
          ...{ since: timestampFromMs(1), until: timestampFromMs(2), outcome: 1 as AuditOutcome },
          ...{ sourceAddress: "192.0.2.1", requestId: "r3", session: "s" },
        });
        for (const query of [queryOf(EVERYTHING), queryOf(EVERYTHING, filter)]) {
          await readAuditPage(reader, query, { descending: true, skip: 0, limit: 10 });
        }
        const [everything, filtered] = await Promise.all(
          statements.map(async ([sql, ...params]) => {
            const plan = await store.reader.all<{ detail: string }>(
              `EXPLAIN QUERY PLAN ${sql}`,
              ...params,
            );
            return plan
              .map(({ detail }) => detail)
              .find((detail) => detail.includes("audit_by_root"));
          }),
        );
        assert.equal(everything, "SCAN audit USING COVERING INDEX audit_by_root");
        assert.equal(
          filtered,
          "SEARCH audit USING COVERING INDEX audit_by_root (<expr>=? AND time>? AND time<?)",
        );
      });
    }

    usualTest(
      "writes that fail leave no gap in a chain, and those beside them are linked",
      async () => {
        const { last } = await auditIds(store.reader);
        const works = Array.from({ length: 9 }, (_, at) => {
          return store.write(async (tx) => {
            writeAudit(tx, { ...entryAt(1), requestId: `fails-${at}` });
            await tx.run(
              "INSERT INTO installation (name, value) VALUES (?, '')",
              `audit-${at % 4}`,
            );
          });
        });
        const outcomes = await Promise.allSettled(works);
        assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 5);
        await store.write(async (tx) => writeAudit(tx, entryAt(1)));
        const linked = await readAuditRange(store.reader, last + 1, 1e12, 100);
        assert.equal(linked.length, 5);
        for (const [at, entry] of linked.entries()) {
          const before = linked[at - 1];
          if (before === undefined) continue;
          assert.equal(entry.chain, before.chain);
          assert.equal(entry.sequence, before.sequence + 1);
          assert.equal(entry.previousHash, before.hash);
        }
      },
    );

    usualTest("retention deletes old groups, and what is left can be verified", async () => {
      const keys = new TestKeys();
      const checkpoints = new Checkpoints({
        store,
        keys: keys as unknown as SigningKeys,
        secrets: new Secrets(randomBytes(32)),
        addresses: () => ({ baseUrl: "https://wharf.test", authUrl: "https://wharf.test" }),
      });
      const before = await all();
      const until = Math.max(...before.slice(0, GROUP_IDS).map(({ time }) => time)) + 100;
      assert.equal(await deleteExpiredEntries(store, checkpoints, until), undefined, "uncovered");
      await checkpoints.cover();
      const stored = () => readCheckpointsAfter(store.reader, 0, 1_000);
      const signed = await stored();
      const expired = await deleteExpiredEntries(store, checkpoints, until);
      const deleted = expired?.entries ?? 0;
      assert.ok(deleted >= GROUP_IDS - 1);
      const kept = new Set((await stored()).map(({ id }) => id));
      const cut = signed.filter(({ id }) => !kept.has(id));
      assert.equal(expired?.checkpoints, cut.length);
      assert.ok(cut.length > 0);
      assert.equal(await deleteExpiredEntries(store, checkpoints, until), undefined);
      const left = await all();
      assert.deepEqual(left, before.slice(deleted));
      const page = { descending: false, skip: 0, limit: 10 };
      const { total, entries } = await readAuditPage(store.reader, queryOf(EVERYTHING), page);
      assert.equal(total, left.length);
      assert.equal(entries[0]?.id, left[0]?.id);
      assert.deepEqual(await problems(store, keys, left), []);
      const more = await problems(store, keys, left.slice(1));
      assert.match(more.join("\n"), /missing/, "what retention did not delete");
      const first = (await stored())[0]?.id ?? 0;
      await store.write((tx) => tx.run("DELETE FROM audit_checkpoints WHERE id = ?", first));
      const removed = await problems(store, keys, left);
      assert.match(removed.join("\n"), /checkpoints were removed/);
    });
  });
}

/** A signing key without a server. */
class TestKeys {
  readonly #pair = generateKeyPairSync("ec", { namedCurve: "P-256" });

  async reloadIfChanged(): Promise<void> {}

  keyFor() {
    const { privateKey } = this.#pair;
    const publicKey = createPublicKey(privateKey);
    return { kid: "test", algorithm: "ES256", privateKey, publicKey, retires: 1 };
  }

  get jwk(): object {
    return { ...this.#pair.publicKey.export({ format: "jwk" }), kid: "test" };
  }
}

/** The problems of entries, according to the checkpoints of the store. */
async function problems(store: Store, keys: TestKeys, entries: readonly StoredAuditEntry[]) {
  const verifier = new Verifier([keys.jwk]);
  const header: HeaderLine = { kind: "header", format: "wharf-audit-1", roots: ["*"], keys: [] };
  verifier.add(header);
  for (const root of ["", ...ROOTS, NO_UID]) {
    for (const { signed } of await readCheckpoints(store.reader, root, 0, 1000)) {
      verifier.add({ kind: "checkpoint", signed } satisfies CheckpointLine);
    }
  }
  for (const entry of entries) {
    verifier.add({ ...(JSON.parse(jsonOf(entry)) as EntryLine), kind: "entry" });
  }
  return verifier.finish().problems;
}
