/** Events that come after all before them have expired. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EventsService } from "@wharf/contract";
import { expiriesAt } from "../src/engine/retention.ts";
import { deleteExpired } from "../src/store/db/expiry.ts";
import { Receiver } from "./support/events/receiver.ts";
import { EventStream } from "./support/events/streams.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const WATCH = EventsService.method.watchEvents;

onEachStore(
  "events after a quiet time longer than their retention",
  (world) => {
    let receiver: Receiver;
    let direct: DirectStore;
    let org: string;
    before(async () => {
      receiver = await Receiver.start();
      direct = await DirectStore.open(world.server);
      org = await world.organization();
      await world.operator().subscriptions.create(org, { sink: receiver.url });
    });
    after(async () => {
      await direct.close();
      await receiver.stop();
    });

    /** Lets everything expire that there is. */
    const expireAll = async () => {
      const { store } = direct;
      await store.write(async (tx) => {
        for (const table of ["events", "deliveries"]) await tx.run(`UPDATE ${table} SET time = 1`);
      });
      for (const expiry of expiriesAt({ eventRetentionDays: 1 }, Date.now()))
        while ((await deleteExpired(store, expiry)) > 0);
    };
    const lastId = async () => {
      const sql = "SELECT max(id) AS id FROM events";
      return (await direct.store.reader.get<{ id: number | null }>(sql))?.id ?? 0;
    };

    test("are delivered and streamed, because they come after the expired ones", async () => {
      const { token } = world.operator();
      const stream = await EventStream.overGrpc(world.server.url, token, WATCH, { group: org });
      const first = await world.group(org);
      await receiver.about(first);
      await stream.about(first);
      const id = await lastId();
      await expireAll();
      const second = await world.group(org);
      assert.ok((await lastId()) > id, "no id is used twice");
      await receiver.about(second);
      await stream.about(second);
      await stream.cancel();
    });

    test("are delivered after a restart, too", async () => {
      await receiver.about(await world.group(org));
      await expireAll();
      await world.server.terminate();
      await world.server.restart();
      await receiver.about(await world.group(org));
    });
  },
  { deliveryTimes: { lingerMs: 300, pollMs: 50, idlePollMs: 50 } },
);
