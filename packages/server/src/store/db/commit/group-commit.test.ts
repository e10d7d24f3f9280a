import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { participantsOf } from "../../participants.ts";
import { writeInstallation } from "../../tables/installation.ts";
import { withWriterMutex } from "../sqlite/writer-mutex.ts";
import { openSqlite } from "../sqlite.ts";
import { Store } from "../store.ts";
import { GroupCommit } from "./group-commit.ts";
import { insertRows } from "./insert-rows.ts";
import { type Participant, Rows } from "./participant.ts";

class Names extends Rows<string> {}

const TARGET = { table: "installation", columns: { name: "text", value: "text" } } as const;

/** Notifications of participants. */
const ends: string[] = [];

const NAMES: Participant<Names> = {
  kind: Names,
  stage: "rows",
  begin: () => ({
    write: (writer, { rows }) =>
      insertRows(
        writer,
        TARGET,
        rows.map((name) => [name, "gathered"]),
      ),
    committed: () => ends.push("committed"),
    aborted: (isUnknown) => ends.push(isUnknown ? "unknown" : "aborted"),
  }),
};

describe("writes that share a commit", () => {
  let directory: string;
  let store: Store;
  const commits: number[] = [];
  let now = 0;
  let flushes = 0;
  const flush = async () => void flushes++;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "wharf-store-"));
    const timings = { committed: (_ms: number, writes: number) => commits.push(writes) };
    store = await Store.open(
      openSqlite(join(directory, "own", "wharf.db"), { flush }),
      [],
      timings,
      {
        clock: () => now,
        participants: [...participantsOf(), NAMES],
      },
    );
  });
  after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const put = (name: string, value = name) =>
    store.write((tx) =>
      tx.run("INSERT INTO installation (name, value) VALUES (?, ?)", name, value),
    );
  const names = async () => {
    const rows = await store.reader.all<{ name: string }>(
      "SELECT name FROM installation ORDER BY name",
    );
    return rows.map((row) => row.name);
  };

  test("only the owner can access the database", () => {
    assert.equal(statSync(join(directory, "own")).mode & 0o777, 0o700);
    assert.equal(statSync(join(directory, "own", "wharf.db")).mode & 0o777, 0o600);
  });

  test("writes of one tick are committed together, and a failing one fails alone", async () => {
    const before = commits.length;
    const outcomes = await Promise.allSettled([put("a"), put("b"), put("a"), put("c")]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ["fulfilled", "fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual(commits.slice(before), [4]);
    assert.deepEqual(await names(), ["a", "b", "c"]);
  });

  test("a background write joins the next commit, and commits alone after its delay", async () => {
    const before = commits.length;
    const inBackground = (name: string, maxDelayMs: number) =>
      store.writeInBackground(
        (tx) => tx.run("INSERT INTO installation (name, value) VALUES (?, ?)", name, ""),
        maxDelayMs,
      );
    const joining = inBackground("joining", 3_600_000);
    await put("joined");
    await joining;
    await inBackground("alone", 1);
    assert.deepEqual(commits.slice(before), [2, 1]);
    await store.write((tx) =>
      tx.run("DELETE FROM installation WHERE name IN ('joining', 'joined', 'alone')"),
    );
  });

  test("only batches of background writes are not flushed", async () => {
    const work = async () => {};
    flushes = 0;
    await store.write(work);
    assert.equal(flushes, 1);
    await store.writeInBackground(work, 1);
    assert.equal(flushes, 1);
    const joining = store.writeInBackground(work, 3_600_000);
    await Promise.all([store.write(work), joining]);
    assert.equal(flushes, 2);
  });

  test("writes of consecutive ticks share a commit, until a tick brings none or the limit is reached", async () => {
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    const before = commits.length;
    const writes = [put("turn-0")];
    for (let turn = 1; turn < 4; turn++) {
      await nextTurn();
      writes.push(put(`turn-${turn}`));
    }
    await Promise.all(writes);
    assert.deepEqual(commits.slice(before), [4]);

    const endless = [put("endless-0")];
    while (commits.length === before + 1) {
      await nextTurn();
      endless.push(put(`endless-${endless.length}`));
    }
    await Promise.all(endless);
    assert.ok((commits[before + 1] ?? 0) < 20, `${commits.slice(before)}`);
  });

  test("a long batch lets the event loop go on between its writes, and those that arrive then join it", async () => {
    const before = commits.length;
    const order: string[] = [];
    const late = Promise.withResolvers<void>();
    const slow = (name: string) =>
      store.write(async () => {
        order.push(name);
        now += 1;
      });
    const first = store.write(async () => {
      now += 1;
      setImmediate(() => {
        order.push("another request");
        late.resolve(slow("late"));
      });
    });
    await Promise.all([first, slow("next"), late.promise]);
    assert.deepEqual(order, ["another request", "next", "late"]);
    assert.deepEqual(commits.slice(before), [3]);
  });

  test("writes that arrive while the batch waits for the mutex join it, whatever they lock", async () => {
    const first = Promise.withResolvers<void>();
    let acquired = 0;
    const mutex = {
      acquire: async () => (acquired++ === 0 ? first.promise : undefined),
      release: () => {},
    };
    const driver = withWriterMutex(openSqlite(join(directory, "mutex", "wharf.db")), mutex);
    const sizes: number[] = [];
    const commits = new GroupCommit(driver, [], {
      committed: (_ms, writes) => sizes.push(writes),
      failed: () => {},
    });
    const table = { shape: { name: "things" }, oldestNamed: () => "" };
    const write = (name: string) => commits.write(async () => name, [{ table, parent: "", name }]);
    const writes = [write("a")];
    while (acquired === 0) await new Promise((resolve) => setImmediate(resolve));
    writes.push(write("b"), write("c"));
    first.resolve();
    assert.deepEqual(await Promise.all(writes), ["a", "b", "c"]);
    assert.deepEqual(sizes, [3]);
    await driver.close();
  });

  test("a tick that is long for the writes it brings ends the wait for others", async () => {
    // After a commit, the group commit waits for one tick, so that it is known which ticks follow.
    await put("committed");
    const before = commits.length;
    const writes = [put("busy-0")];
    const nextTick = async (ms: number, ...names: string[]) => {
      await new Promise((resolve) => setImmediate(resolve));
      now += ms;
      writes.push(...names.map((name) => put(name)));
    };
    // Short for two writes, too long for one: the third tick is not waited for.
    await nextTick(0.8, "busy-1", "busy-2");
    await nextTick(0.8, "busy-3");
    await nextTick(0.1, "late");
    await Promise.all(writes);
    assert.deepEqual(commits.slice(before), [4, 1]);
  });

  test("a write whose changes cannot be written by a participant fails alone", async () => {
    const gather = (...names: string[]) =>
      store.write(async (tx) => {
        await tx.run("INSERT INTO installation (name, value) VALUES (?, 'x')", `by-${names}`);
        for (const name of names) tx.changes(Names).push(name);
      });
    ends.length = 0;
    const outcomes = await Promise.allSettled([gather("g1"), gather("g2", "g2"), gather("g3")]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    const stored = (await names()).filter((name) => name.includes("g"));
    assert.deepEqual(stored, ["by-g1", "by-g3", "g1", "g3"]);
    // The whole batch first, then with a savepoint for each write.
    assert.deepEqual(ends, ["aborted", "committed"]);
  });

  test("changes that no participant writes are an error", async () => {
    class Unknown extends Rows<string> {}
    const write = store.write(async (tx) => tx.changes(Unknown).push("lost"));
    await assert.rejects(write, /no participant writes Unknown/);
  });

  test("a write whose last part fails fails alone", async () => {
    const ending = (name: string, value: string | null) =>
      store.write(async (tx) => {
        tx.atEnd(async (writer) => {
          await writer.run("INSERT INTO installation (name, value) VALUES (?, ?)", name, value);
        });
      });
    const outcomes = await Promise.allSettled([ending("e1", "x"), ending("e2", null), put("e3")]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    const stored = (await names()).filter((name) => /^e\d$/.test(name));
    assert.deepEqual(stored, ["e1", "e3"]);
  });

  test("a write that fails half-way leaves nothing of itself", async () => {
    const failing = store.write(async (tx) => {
      await tx.run("INSERT INTO installation (name, value) VALUES (?, ?)", "half", "x");
      throw new Error("changed my mind");
    });
    await assert.rejects(failing, /changed my mind/);
    assert.ok(!(await names()).includes("half"));
  });

  test("a read in the same tick sees what was written", async () => {
    await names();
    await put("seen");
    assert.ok((await names()).includes("seen"));
  });

  test("the access version grows with changes of access, and only with them", async () => {
    const version = await store.accessVersion();
    await writeInstallation(store, "other", "x");
    assert.equal(await store.accessVersion(), version);
    await store.write(async (tx) => tx.accessChanged());
    assert.equal(await store.accessVersion(), version + 1);
    const failing = store.write(async (tx) => {
      tx.accessChanged();
      throw new Error("no");
    });
    await assert.rejects(failing);
    assert.equal(await store.accessVersion(), version + 1);
  });
});
