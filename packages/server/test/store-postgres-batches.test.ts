import assert from "node:assert/strict";
import { after, before, describe, mock, test } from "node:test";
import { newChildUid, newRootUid, parentOf, rootOf } from "@wharf/contract";
import fc from "fast-check";
import pg from "pg";
import { RESOURCES } from "../src/app/resources.ts";
import type { Lock } from "../src/store/db/commit/locked-rows.ts";
import type { Transaction } from "../src/store/db/commit/transaction.ts";
import { Connection } from "../src/store/db/postgres/connection.ts";
import { openPostgres } from "../src/store/db/postgres.ts";
import { Store } from "../src/store/db/store.ts";
import type { ResourceRow } from "../src/store/resources/rows.ts";
import { writeAudit, writeEvent } from "../src/store/tables/audit/audit-and-events.ts";
import { runs } from "./support/oracle/runs.ts";
import { newDatabase } from "./support/server/postgres.ts";

const { table } = RESOURCES.groups;

function rowOf(uid: string, name: string, updated = 1): ResourceRow {
  const parent = parentOf(uid);
  const common = { uid, parent, root: rootOf(uid), name, created: 1, updated, encoding: 1 };
  const data = new TextEncoder().encode(String(updated));
  return { ...common, data, json: "{}", filters: { verified_name: "", last_step: "" } };
}

const ABOUT = { time: 1, actor: "a" };

function leaveEntry(tx: Transaction, uid: string): void {
  writeAudit(tx, {
    ...{ ...ABOUT, method: "m", resource: uid, requestId: "r", remoteAddress: "" },
    ...{ userAgent: "", code: 0, detail: "" },
  });
}

/** Does the work of a create: checks its parent and its name, inserts the row, leaves an audit entry and an event. */
async function insert(tx: Transaction, uid: string, name: string): Promise<string> {
  if (!(await table.keep(tx, parentOf(uid)))) return "no parent";
  const holder = await table.lockNamed(tx, parentOf(uid), name);
  if (holder !== undefined) return "taken";
  if (!(await table.insert(tx, rowOf(uid, name)))) throw new Error("exists");
  leaveEntry(tx, uid);
  writeEvent(tx, {
    ...{ ...ABOUT, id: uid, type: "t", subject: uid, group: uid, bodyType: "", body: "" },
  });
  return "created";
}

/** Reads a number in a row and increments it. */
async function increment(tx: Transaction, uid: string, name: string): Promise<string> {
  const row = await table.findForChange(tx, uid);
  if (row === undefined) return "missing";
  const next = Number(new TextDecoder().decode(row.data)) + 1;
  await table.update(tx, rowOf(uid, name, next));
  return String(next);
}

describe("batches on PostgreSQL", () => {
  let url: string;
  let store: Store;
  const commits: number[] = [];
  before(async () => {
    url = await newDatabase();
    const tables = Object.values(RESOURCES).map((resource) => resource.table);
    const timings = { committed: (_ms: number, writes: number) => commits.push(writes) };
    store = await Store.open(await openPostgres(url), tables, timings);
  });
  after(() => store.close());

  /** Another replica. */
  const secondStore = async (opened: AsyncDisposableStack): Promise<Store> => {
    const other = await Store.open(await openPostgres(url), [table], { committed() {} });
    opened.defer(() => other.close());
    return other;
  };
  const newRoot = async (): Promise<string> => {
    const root = newRootUid();
    await store.write(async (tx) => {
      await table.insert(tx, rowOf(root, "root"));
      // Begins the audit chain of this store for the root, which reads its last checkpoint once.
      leaveEntry(tx, root);
    });
    return root;
  };
  const keep = (uid: string): Lock => ({ table, uid, mode: "keep" });
  const change = (uid: string): Lock => ({ table, uid, mode: "change" });
  const locksOfCreate = (uid: string, name: string): Lock[] => {
    const parent = parentOf(uid);
    return [keep(parent), { table, parent, name }];
  };
  /** Runs something, and returns how often the driver sent a statement. */
  const statementsOf = async (run: () => Promise<unknown>): Promise<number> => {
    const query = mock.method(Connection.prototype, "query");
    try {
      await run();
      return query.mock.callCount();
    } finally {
      query.mock.restore();
    }
  };

  test("take as many statements for 64 creates as for 4", async () => {
    const root = await newRoot();
    const createAll = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) => {
          const uid = newChildUid(root);
          const name = `${count}-${at}`;
          return store.write((tx) => insert(tx, uid, name), locksOfCreate(uid, name));
        }),
      );
    const begun = commits.length;
    const few = await statementsOf(() => createAll(4));
    const many = await statementsOf(() => createAll(64));
    assert.deepEqual(commits.slice(begun), [4, 64]);
    assert.equal(many, few);
    // Parent, name, row, audit entry and event would be five for each.
    assert.ok(few < 4 * 5, `${few}`);
  });

  test("take as many statements for 64 updates as for 4", async () => {
    const root = await newRoot();
    const uids = Array.from({ length: 64 }, () => newChildUid(root));
    await store.write((tx) =>
      table.insertAll(
        tx,
        uids.map((uid) => rowOf(uid, uid)),
      ),
    );
    const updateAll = (some: readonly string[]) =>
      Promise.all(
        some.map((uid) => store.write((tx) => increment(tx, uid, `${uid}-new`), [change(uid)])),
      );
    const begun = commits.length;
    const few = await statementsOf(() => updateAll(uids.slice(0, 4)));
    const many = await statementsOf(async () => {
      const values = await updateAll(uids);
      assert.deepEqual(values, [...Array(4).fill("3"), ...Array(60).fill("2")]);
    });
    assert.deepEqual(commits.slice(begun), [4, 64]);
    assert.equal(many, few);
    const rows = await table.findMany(store.reader, uids);
    const stored = new Map(rows.map(({ uid, data }) => [uid, new TextDecoder().decode(data)]));
    assert.deepEqual(
      uids.map((uid) => stored.get(uid)),
      [...Array(4).fill("3"), ...Array(60).fill("2")],
    );
  });

  test("a row that is updated several times is sent once, with the last values", async () => {
    const root = await newRoot();
    const [one, other] = [newChildUid(root), newChildUid(root)];
    await store.write((tx) => table.insertAll(tx, [rowOf(one, "one"), rowOf(other, "other")]));
    const incrementAll = (...uids: string[]) =>
      Promise.all(
        uids.map((uid) => store.write((tx) => increment(tx, uid, `${uid}-new`), [change(uid)])),
      );
    const once = await statementsOf(() => incrementAll(one, other));
    const often = await statementsOf(async () => {
      assert.deepEqual(await incrementAll(one, other, one, one), ["3", "3", "4", "5"]);
    });
    assert.equal(often, once);
    const rows = await table.findMany(store.reader, [one, other]);
    const stored = new Map(rows.map(({ uid, data }) => [uid, new TextDecoder().decode(data)]));
    assert.deepEqual([stored.get(one), stored.get(other)], ["5", "3"]);
  });

  test("wait for their locks, for their counts and for their commit", async () => {
    const root = await newRoot();
    const folders = [newChildUid(root), newChildUid(root)] as const;
    await store.write((tx) =>
      table.insertAll(
        tx,
        folders.map((uid) => rowOf(uid, uid)),
      ),
    );
    const { query } = Connection.prototype;
    /** For each statement, the connection, and how many answers it had before. */
    const sent: (readonly [Connection, number])[] = [];
    let writing: Connection | undefined;
    const recording = mock.method(
      Connection.prototype,
      "query",
      function (this: Connection, ...args: Parameters<typeof query>) {
        if (String(args[0]).startsWith("BEGIN")) writing = this;
        sent.push([this, this.answers]);
        return query.apply(this, args);
      },
    );
    try {
      const version = await store.accessVersion();
      const created = newChildUid(root);
      await Promise.all([
        store.write(
          async (tx) => {
            await tx.relyOnAccess(version);
            return insert(tx, created, "new");
          },
          locksOfCreate(created, "new"),
        ),
        ...folders.map((uid) => store.write((tx) => increment(tx, uid, "folder"), [change(uid)])),
      ]);
    } finally {
      recording.mock.restore();
    }
    const waits = sent.flatMap(([connection, answers]) =>
      connection === writing ? [answers] : [],
    );
    assert.equal(new Set(waits).size, 3, `${waits}`);
  });

  test("rely on an access version that is not older than what the caller has seen", async () => {
    await using opened = new AsyncDisposableStack();
    const other = await secondStore(opened);
    const advance = () => other.write(async (tx) => tx.accessChanged());
    const seen = await store.accessVersion();
    const relied = await store.write(async (tx) => {
      const first = await tx.relyOnAccess(seen);
      await advance();
      const again = await tx.relyOnAccess(seen);
      const newer = await tx.relyOnAccess(seen + 1);
      await advance();
      return [first, again, newer, await tx.relyOnAccess(undefined)];
    });
    assert.deepEqual(relied, [seen, seen, seen + 1, seen + 2]);
  });

  test("a row that exists fails one create, and no other", async () => {
    const root = await newRoot();
    const [one, other] = [newChildUid(root), newChildUid(root)];
    const outcomes = await Promise.allSettled(
      [one, other, one].map((uid, at) => {
        const name = `name-${at}`;
        return store.write((tx) => insert(tx, uid, name), locksOfCreate(uid, name));
      }),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "fulfilled", "rejected"],
    );
  });

  test("do what the writes would do one after the other", async () => {
    const step = fc.record({
      kind: fc.constantFrom("create", "increment", "delete", "keep", "sweep"),
      at: fc.nat(2),
      name: fc.constantFrom("a", "b"),
      isDeclared: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
        const root = await newRoot();
        const uids = Array.from({ length: 3 }, () => newChildUid(root));
        const model = new Map<string, { name: string; value: number }>();
        const expected: string[] = [];
        const actual = steps.map(({ kind, at, name, isDeclared }) => {
          const uid = uids[at] as string;
          const known = model.get(uid);
          const locks = (...some: Lock[]) => (isDeclared ? some : []);
          if (kind === "create") {
            // Deleted uids are never used again.
            const fresh = known === undefined ? uid : newChildUid(root);
            const isTaken = [...model.values()].some((one) => one.name === name);
            if (!isTaken) model.set(fresh, { name, value: 1 });
            expected.push(isTaken ? "taken" : "created");
            const some = isDeclared ? locksOfCreate(fresh, name) : [];
            return store.write((tx) => insert(tx, fresh, name), some);
          }
          if (kind === "increment") {
            expected.push(known ? String(++known.value) : "missing");
            if (known) known.name = name;
            return store.write((tx) => increment(tx, uid, name), locks(change(uid)));
          }
          if (kind === "delete") {
            expected.push(String(model.delete(uid)));
            return store.write(
              async (tx) => String(await table.delete(tx, uid)),
              locks(change(uid)),
            );
          }
          if (kind === "sweep") {
            expected.push(String(model.size));
            model.clear();
            return store.write(async (tx) => String(await table.deleteChildren(tx, root, 100)));
          }
          expected.push(String(known !== undefined));
          return store.write(async (tx) => String(await table.keep(tx, uid)), locks(keep(uid)));
        });
        assert.deepEqual(await Promise.all(actual), expected);
      }),
      { numRuns: runs(12, 40) },
    );
  });

  test("reads of single rows go on while one of them waits for a locked table", async (t) => {
    const root = await newRoot();
    const version = () => store.accessVersion();
    // Opens the connection for such reads.
    await version();
    const other = new pg.Client({ connectionString: url });
    t.after(() => other.end());
    await other.connect();
    await other.query("BEGIN; LOCK TABLE groups IN ACCESS EXCLUSIVE MODE");
    const blocked = table.find(store.reader, root, "json");
    for (let read = 0; read < 3; read++) assert.ok((await version()) > 0);
    await other.query("ROLLBACK");
    assert.equal((await blocked)?.json, "{}");
  });
});
