import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import {
  AuditAggregator,
  MAX_KINDS,
  MAX_KINDS_PER_NETWORK,
  OTHER_METHOD,
} from "../src/engine/audit/aggregator.ts";
import type { Store } from "../src/store/db/store.ts";
import type { AuditEntry } from "../src/store/tables/audit/audit-and-events.ts";
import { exchange } from "./support/client/tokens.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

interface Row {
  readonly time: number;
  readonly method: string;
  readonly resource: string;
  readonly remote_address: string;
  readonly code: number;
  readonly detail: string;
}

const ROWS = "SELECT time, method, resource, remote_address, code, detail FROM audit ORDER BY id";

for (const kind of STORES) {
  describe(`audit rows of unauthenticated requests, on ${kind}`, () => {
    let database: NewDatabase;
    let store: Store;
    before(async () => {
      database = await NewDatabase.of(kind);
      store = await database.store();
    });
    after(() => database.close());

    const rows = async () =>
      (await store.reader.all<Row & object>(ROWS)).map((row) => ({ ...row }));
    const clear = () => store.write((tx) => tx.run("DELETE FROM audit"));
    const entry = (changed: Partial<AuditEntry> = {}): AuditEntry => ({
      ...{ time: 1_000, actor: "", method: "Exchange", resource: "r", requestId: "q" },
      ...{ remoteAddress: "192.0.2.1", userAgent: "u", code: 7 },
      detail: JSON.stringify({ issuer: "i", refused: "no", tokenSha256: "abc" }),
      ...changed,
    });

    test("are written immediately the first time, then counted", async () => {
      await clear();
      const aggregator = new AuditAggregator(store);
      await aggregator.record(entry(), "no");
      assert.deepEqual((await rows()).length, 1);
      for (let at = 1; at <= 5; at++) {
        const detail = JSON.stringify({ refused: "no", tokenSha256: `repeated ${at}` });
        await aggregator.record(entry({ time: 1_000 + at, detail }), "no");
      }
      assert.deepEqual((await rows()).length, 1);
      await aggregator.flush();
      const [first, counted, ...others] = await rows();
      assert.deepEqual(others, []);
      assert.equal(first?.detail, entry().detail);
      const { detail = "", ...columns } = counted ?? {};
      assert.deepEqual(columns, {
        ...{ time: 1_001, method: "Exchange", resource: "r", remote_address: "192.0.2.1", code: 7 },
      });
      assert.deepEqual(JSON.parse(detail), {
        ...{ count: 5, firstTime: 1_001, lastTime: 1_005 },
        ...{ refused: "no", tokenSha256: "repeated 1" },
      });
      await aggregator.flush();
      assert.equal((await rows()).length, 2, "nothing is written twice");
    });

    test("are aggregated by network, method, outcome and reason", async () => {
      await clear();
      const aggregator = new AuditAggregator(store);
      await aggregator.record(entry({ remoteAddress: "2001:db8::1" }), "no");
      await aggregator.record(entry({ remoteAddress: "2001:db8::2", resource: "s" }), "no");
      await aggregator.record(entry({ remoteAddress: "2001:db8::3" }), "no");
      await aggregator.record(entry({ remoteAddress: "2001:db8:0:1::1" }), "no");
      await aggregator.record(entry({ remoteAddress: "2001:db8::1", method: "Login" }), "no");
      await aggregator.record(entry({ remoteAddress: "2001:db8::1", code: 16 }), "no");
      await aggregator.record(entry({ remoteAddress: "2001:db8::1" }), "never");
      assert.equal((await rows()).length, 5);
      await aggregator.flush();
      const [counted, ...others] = (await rows()).slice(5);
      assert.deepEqual(others, []);
      assert.equal(counted?.remote_address, "2001:db8:0:0::/64");
      assert.equal(counted?.resource, "", "they were about two");
      assert.equal(JSON.parse(counted?.detail ?? "").count, 2);
    });

    test("are bounded in number, per network and in total", async () => {
      await clear();
      const aggregator = new AuditAggregator(store);
      const total = 20 * MAX_KINDS;
      for (let at = 0; at < total; at++) {
        // Half of them from one address.
        const remoteAddress = at % 2 ? "192.0.2.1" : `198.51.${at >> 8}.${at & 255}`;
        for (const _ of [1, 2]) await aggregator.record(entry({ remoteAddress }), `reason ${at}`);
      }
      await aggregator.flush();
      const written = await rows();
      assert.equal(written.length, 2 * MAX_KINDS + 1);
      const own = written.filter(({ remote_address }) => remote_address === "192.0.2.1");
      assert.equal(own.length, 2 * MAX_KINDS_PER_NETWORK);
      const other = written.at(-1);
      assert.equal(other?.method, OTHER_METHOD);
      const counts = written.map(({ detail }) => JSON.parse(detail).count ?? 1);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        2 * total,
      );
      await aggregator.record(entry(), "after the window");
      assert.equal((await rows()).length, written.length + 1, "a new window has room");
    });

    test("survive while the store is read-only", async () => {
      await clear();
      const broken = new Broken(store);
      const aggregator = new AuditAggregator(broken as unknown as Store);
      await assert.rejects(aggregator.record(entry(), "no"), /no room/);
      await aggregator.record(entry(), "no");
      await assert.rejects(aggregator.flush(), /no room/);
      await aggregator.record(entry({ time: 5_000 }), "no");
      broken.isBroken = false;
      await aggregator.flush();
      const [counted, ...others] = await rows();
      assert.deepEqual(others, []);
      const { count, lastTime } = JSON.parse(counted?.detail ?? "");
      assert.deepEqual([count, lastTime], [3, 5_000]);
    });
  });

  test(`a flood of rejected requests leaves a few rows, also when the server stops, on ${kind}`, async (t) => {
    const server = await TestServer.start({ store: kind });
    t.after(() => server.stop());
    const identity = "f".repeat(40);
    const signed = `${segment({ alg: "RS256" })}.${segment({ iss: "https://x.example", sub: "s" })}`;
    const token = `${signed}.AAAA`;
    for (let at = 0; at < 30; at++) {
      const { status } = await exchange(server.url, token, { aud: server.url, identity });
      assert.equal(status, 403);
    }
    const basic = Buffer.from(`${identity}:x.y.z`).toString("base64");
    for (let at = 0; at < 30; at++) {
      const headers = { authorization: `Basic ${basic}` };
      const { status } = await fetch(`${server.url}/token`, { headers });
      assert.equal(status, 401);
    }
    const prompt = await rawRows<Row>(server, ROWS);
    assert.equal(prompt.length, 2);
    assert.equal(JSON.parse(prompt[0]?.detail ?? "").tokenSha256, hash("sha256", signed));
    assert.equal(await server.terminate(), 0);
    const all = await rawRows<Row>(server, ROWS);
    const counts = all.map(({ detail }) => JSON.parse(detail).count ?? 1);
    assert.deepEqual(counts, [1, 1, 29, 29]);
  });
}

/** A store that can be read, and written again later. */
class Broken {
  readonly #store: Store;
  isBroken = true;

  constructor(store: Store) {
    this.#store = store;
  }

  write: Store["write"] = (work) =>
    this.isBroken ? Promise.reject(new Error("no room")) : this.#store.write(work);
}

function segment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
