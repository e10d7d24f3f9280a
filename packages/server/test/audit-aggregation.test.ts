import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import {
  AuditAggregator,
  BY_CALLER,
  BY_READER,
  MAX_KINDS,
  MAX_KINDS_PER_NETWORK,
  MAX_NETWORKS,
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
  readonly actor: string;
  readonly method: string;
  readonly resource: string;
  readonly remote_address: string;
  readonly code: number;
  readonly detail: string;
}

const ACME = "a".repeat(40);
const EVIL = "e".repeat(40);

const ROWS =
  "SELECT time, actor, method, resource, remote_address, code, detail FROM audit ORDER BY id";

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
    // Of the organizations that entries name, two exist.
    const isOrganization = async (uid: string) => uid === ACME || uid === EVIL;
    const clear = () => store.write((tx) => tx.run("DELETE FROM audit"));
    const entry = (changed: Partial<AuditEntry> = {}): AuditEntry => ({
      ...{ time: 1_000, actor: "", method: "Exchange", resource: "r", requestId: "q" },
      ...{ remoteAddress: "192.0.2.1", userAgent: "u", code: 7 },
      detail: JSON.stringify({ issuer: "i", refused: "no", tokenSha256: "abc" }),
      ...changed,
    });

    test("are written immediately the first time, then counted", async () => {
      await clear();
      const aggregator = new AuditAggregator(store, isOrganization);
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
        ...{ time: 1_001, actor: "", method: "Exchange", resource: "r" },
        ...{ remote_address: "192.0.2.1", code: 7 },
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
      const aggregator = new AuditAggregator(store, isOrganization);
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
      const aggregator = new AuditAggregator(store, isOrganization);
      const total = 20 * MAX_KINDS;
      for (let at = 0; at < total; at++) {
        // Half of them from one address.
        const remoteAddress = at % 2 ? "192.0.2.1" : `198.51.${at >> 8}.${at & 255}`;
        for (const _ of [1, 2]) await aggregator.record(entry({ remoteAddress }), `reason ${at}`);
      }
      await aggregator.flush();
      const written = await rows();
      assert.equal(written.length, 2 * (MAX_KINDS + MAX_NETWORKS + 1));
      const own = written.filter(({ remote_address }) => remote_address === "192.0.2.1");
      assert.equal(own.length, 2 * (MAX_KINDS_PER_NETWORK + 1), "further ones share an entry");
      const others = written.filter(({ method }) => method === OTHER_METHOD);
      assert.equal(others.length, MAX_NETWORKS + 1);
      const counts = written.map(({ detail }) => JSON.parse(detail).count ?? 1);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        2 * total,
      );
      await aggregator.record(entry(), "after the window");
      assert.equal((await rows()).length, written.length + 1, "a new window has room");
    });

    test("stay in the log of their organization, whatever happens elsewhere", async () => {
      await clear();
      const aggregator = new AuditAggregator(store, isOrganization);
      // Identities that do not exist, in organizations that do not either, and in another one.
      for (let at = 0; at < 4 * MAX_KINDS; at++) {
        const unknown = String(at).padStart(40, "0");
        const resource = at % 2 ? `${unknown}/1` : `${EVIL}/${at}`;
        await aggregator.record(entry({ resource }), `reason ${at}`);
      }
      const before = (await rows()).length;
      assert.ok(before <= 2 * (MAX_KINDS_PER_NETWORK + 1), "unknown organizations share a budget");
      for (const at of [1, 2]) await aggregator.record(entry({ resource: `${ACME}/${at}` }), "no");
      assert.equal((await rows()).at(-1)?.resource, `${ACME}/1`, "written at once");
      await aggregator.record(entry({ resource: `${ACME}/3` }), "no");
      await aggregator.flush();
      const counted = (await rows()).filter(({ resource }) => resource.startsWith(ACME));
      assert.deepEqual(
        counted.map(({ resource, detail }) => [resource, JSON.parse(detail).count]),
        [
          [`${ACME}/1`, undefined],
          [ACME, 2],
        ],
      );
    });

    test("of verified tokens are not displaced by those of strangers", async () => {
      await clear();
      const aggregator = new AuditAggregator(store, isOrganization);
      const resource = `${ACME}/1`;
      for (let at = 0; at < 4 * MAX_KINDS; at++) {
        const remoteAddress = `198.51.100.${at}`;
        await aggregator.record(entry({ resource, remoteAddress }), `reason ${at}`);
      }
      await aggregator.record(entry({ resource, detail: '{"subject":"own"}' }), "own", true);
      assert.equal((await rows()).at(-1)?.detail, '{"subject":"own"}');
    });

    test("of denied callers keep actor and organization", async () => {
      await clear();
      const aggregator = new AuditAggregator(store, isOrganization, BY_CALLER);
      const denied = (actor: string, resource: string, method = "Get") =>
        aggregator.record(entry({ actor, method, resource }), resource);
      // One organization has more identities than any budget.
      const actors = Array.from({ length: 150 }, (_, at) => `${EVIL}/${at}`);
      for (const actor of actors)
        for (let at = 0; at < 22; at++) await denied(actor, `${ACME}/${at}`);
      const own = `${ACME}/own`;
      await denied(own, ACME, "Delete");
      assert.deepEqual(
        (await rows()).filter(({ actor }) => actor === own).map(({ method }) => method),
        ["Delete"],
      );
      await aggregator.flush();
      const written = await rows();
      const named = actors.filter((actor) => written.some((row) => row.actor === actor));
      assert.ok(named.length >= 100, `${named.length} of 150 are named`);
      assert.ok(written.every(({ resource }) => resource.startsWith(ACME)));
      const total = written.reduce((sum, row) => sum + (JSON.parse(row.detail).count ?? 1), 0);
      assert.equal(total, 150 * 22 + 1);
      const rest = written.filter(({ actor }) => actor === "");
      assert.deepEqual(
        rest.map(({ resource, detail }) => [resource, JSON.parse(detail).actorOrganization]),
        [[ACME, EVIL]],
      );
    });

    test("of readers keep actor, method and organization, however many there are", async () => {
      await clear();
      const aggregator = new AuditAggregator(store, isOrganization, BY_READER);
      const actor = `${ACME}/1`;
      for (let at = 0; at < 100; at++) {
        const resource = `${ACME}/${at}`;
        await aggregator.record(entry({ actor, method: "Get", resource, code: 0 }), resource);
      }
      await aggregator.record(entry({ actor, method: "Export", resource: ACME, code: 0 }), ACME);
      const last = (await rows()).at(-1);
      assert.deepEqual([last?.actor, last?.method, last?.resource], [actor, "Export", ACME]);
      await aggregator.flush();
      const written = await rows();
      assert.ok(written.every((row) => row.actor === actor && row.resource.startsWith(ACME)));
      assert.ok(written.every(({ method }) => method === "Get" || method === "Export"));
    });

    test("survive while the store is read-only", async () => {
      await clear();
      const broken = new Broken(store);
      const aggregator = new AuditAggregator(broken as unknown as Store, isOrganization);
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
