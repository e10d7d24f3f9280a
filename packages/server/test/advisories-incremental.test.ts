import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ApiClient } from "./support/client/api-client.ts";
import { runs } from "./support/oracle/runs.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { advisoryOf, writing, written } from "./support/world/advisories.ts";
import { onEachStore } from "./support/world/world.ts";

const WRITERS = 4;
const WRITES = runs(24, 40);
/** Fewer would hardly meet the writes. */
const POLLS = runs(6, 11);

interface Seen {
  readonly uid: string;
  readonly advisoryId: string;
  readonly updateTime: string;
  readonly artifactName: string;
  readonly deleteTime?: string;
}

/** A client with a copy, which reads only changes. */
class Copy {
  readonly #api: ApiClient;
  readonly #group: string;
  readonly kept = new Map<string, Seen>();
  #since = "1970-01-01T00:00:00Z";

  constructor(api: ApiClient, group: string) {
    this.#api = api;
    this.#group = group;
  }

  /** Reads everything since the last received update, page by page. */
  async poll(): Promise<void> {
    const request = {
      uidp: { descendantsOf: this.#group },
      updatedSince: this.#since,
      orderBy: "updated_at",
      pageSize: 20,
    };
    let pageToken = "";
    let last = this.#since;
    do {
      const page = await this.#api.advisories.list({ ...request, pageToken });
      for (const one of page.advisories as Seen[]) {
        assert.ok(one.updateTime >= last, "updates come in their order");
        last = one.updateTime;
        if (one.deleteTime === undefined) this.kept.set(one.uid, one);
        else this.kept.delete(one.uid);
      }
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    this.#since = last;
  }
}

onEachStore("incremental reads of advisories", (world) => {
  let replicas: DirectStore[];
  let org: string;
  before(async () => {
    // SQLite has no replicas: there, the writers share a connection.
    const count = world.store === "sqlite" ? 1 : WRITERS;
    replicas = await Promise.all(
      Array.from({ length: count }, () => DirectStore.open(world.server)),
    );
    org = await world.organization();
  });
  after(() => Promise.all(replicas.map((replica) => replica.close())));

  /** Creates, changes and deletes, as often as is said. */
  async function write(replica: DirectStore, group: string, number: number): Promise<void> {
    for (let turn = 0; turn < WRITES; turn++) {
      const advisoryId = `CGA-${number}-${turn % 20}`;
      await writing(replica, group, async (writer) => {
        // Some take longer than others between their turn and their end.
        if (turn % 7 === number) await new Promise((resolve) => setTimeout(resolve, 5));
        const before = await writer.find(advisoryId);
        if (before === undefined) {
          return writer.insert(advisoryOf({ advisoryId, artifactName: `${turn}` }));
        }
        if (turn % 5 === 0) return writer.delete(before);
        const after = { ...before, artifactName: `${turn}` };
        delete after.deleteTime;
        return writer.update(after);
      });
    }
  }

  test("a client that polls during concurrent writes gets every change", async () => {
    const group = await world.group(org);
    const copies = [
      new Copy(world.operator("REST"), group),
      new Copy(world.operator("gRPC"), group),
    ];
    let isDone = false;
    let polls = 0;
    const reading = copies.map(async (copy) => {
      while (!isDone) {
        await copy.poll();
        polls += 1;
      }
    });
    do {
      const writers = Array.from({ length: WRITERS }, (_, number) => {
        return write(replicas[number % replicas.length] as DirectStore, group, number);
      });
      await Promise.all(writers);
    } while (polls < POLLS);
    isDone = true;
    await Promise.all(reading);
    const request = { uidp: { descendantsOf: group }, pageSize: 200 };
    const { advisories } = await world.operator().advisories.list(request);
    assert.ok(advisories.length > 40);
    const comparable = (all: Iterable<Seen>) =>
      [...all]
        .map(({ uid, updateTime, artifactName }) => `${uid} ${updateTime} ${artifactName}`)
        .sort();
    for (const copy of copies) {
      await copy.poll();
      assert.deepEqual(comparable(copy.kept.values()), comparable(advisories));
    }
  });

  test("update times are monotonic, whatever the clock says", async () => {
    const first = replicas[0] as DirectStore;
    const second = replicas.at(-1) as DirectStore;
    const group = await world.group(org);
    const [made] = await written(first, group, { advisoryId: "CGA-a" });
    assert.ok(made);
    const ahead = Date.now() + 3_600_000;
    const { advisories } = first.engine.catalog;
    await first.change(async (change) => {
      const fast = { ...made, updateTime: timestampFromMs(ahead) };
      await advisories.table.update(change.tx, advisories.toRow(fast));
    });
    const [later] = await written(second, group, { advisoryId: "CGA-b" });
    assert.deepEqual(later?.updateTime, timestampFromMs(ahead + 1));
    const request = { uidp: { childrenOf: group }, updatedSince: new Date(ahead).toISOString() };
    const page = await world.operator().advisories.list(request);
    assert.deepEqual(page.advisories.map(({ advisoryId }: Seen) => advisoryId).sort(), [
      "CGA-a",
      "CGA-b",
    ]);
  });

  world.rule("updatedSince is inclusive", async (api) => {
    const group = await world.group(org);
    const [made] = await written(replicas[0] as DirectStore, group, { advisoryId: "CGA-a" });
    const { updateTime } = await api.advisories.get(made?.uid ?? "");
    const total = async (updatedSince: string) =>
      (await api.advisories.list({ uidp: { childrenOf: group }, updatedSince })).totalCount;
    assert.equal(await total(updateTime), "1");
    assert.equal(await total(new Date(Date.parse(updateTime) + 1).toISOString()), "0");
  });
});
