/** Reads whose cost grows with what is stored: they run in steps, or beside the event loop. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { EventFilterSchema, newChildUid, newRootUid } from "@wharf/contract";
import { LogSearch } from "../src/events/log/search.ts";
import { CountedTask } from "../src/lib/testing/counted-task.ts";
import type { Reader } from "../src/store/db/connection.ts";
import type { Store } from "../src/store/db/store.ts";
import { LOG_START, logEnd, readerBetween } from "../src/store/tables/events/event-log.ts";
import { scimUsers } from "../src/store/tables/scim/resources.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES } from "./support/server/test-server.ts";

const EVENTS = 1_200;
const USERS = 1_001;
const NAMES = { typePrefix: "dev.example", baseUrl: "https://example.dev", registryHost: "" };

for (const kind of STORES) {
  describe(`long reads (${kind})`, () => {
    let database: NewDatabase;
    let store: Store;
    const group = newRootUid();
    const provider = newChildUid(group);
    before(async () => {
      database = await NewDatabase.of(kind);
      store = await database.store();
      await store.write(async (tx) => {
        for (let at = 0; at < EVENTS; at++) {
          await tx.run(
            `INSERT INTO events (event_id, time, type, subject, group_uid, actor, body_type, body)
             VALUES (?, ?, 'iam.group.created.v1', ?, ?, '', '', '{}')`,
            ...[`event-${at}`, at, `${group}/${at % 4}`, group],
          );
        }
        for (let at = 0; at < USERS; at++) {
          const name = `user-${at}`;
          await scimUsers.insert(tx, {
            ...{ provider, resource: name, name, external_id: "", data: "{}" },
            ...{ created: at, updated: at, version: 1 },
          });
        }
      });
    });
    after(() => database.close());

    /** A reader with costly reads, and the reader that these go to. */
    const readers = () => {
      const costly: Reader = store.reader;
      const reader: Reader = Object.create(store.reader, {
        costly: { value: costly },
        get: { value: store.reader.get.bind(store.reader) },
      });
      return { reader, costly };
    };

    test("a filter looks at one event after the other", async () => {
      const filters = [create(EventFilterSchema, { suffix: { subject: "/3" } })];
      const task = new CountedTask();
      const search = new LogSearch(NAMES, filters, { group }, task);
      assert.equal(await search.count(store.reader), EVENTS / 4);
      assert.ok(task.steps >= EVENTS, `${task.steps} steps`);
      const found = await search.read(store.reader, undefined, 7);
      const ids = found.map(({ eventId }) => eventId);
      assert.deepEqual(
        ids,
        Array.from({ length: 7 }, (_, at) => `event-${4 * at + 3}`),
      );
    });

    test("a stream that begins far behind reads beside the event loop, until it is near the end", async () => {
      const { reader, costly } = readers();
      const end = await logEnd(store.reader);
      assert.equal(readerBetween(reader, LOG_START, end), costly);
      assert.equal(readerBetween(reader, { ...end, id: end.id - 100 }, end), reader);
    });

    test("a long list of users is counted and skipped beside the event loop", async () => {
      const { reader, costly } = readers();
      assert.equal(await scimUsers.listReader(reader, provider), costly);
      assert.equal(await scimUsers.listReader(reader, newChildUid(group)), reader);
    });
  });
}
