/** A sender that fails is started again: its deliveries are still due. */
import { test } from "node:test";
import { Receiver } from "./support/events/receiver.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore(
  "a sender that cannot read its deliveries",
  (world) => {
    test("sends them when it can, without another event", async (t) => {
      const sink = await Receiver.start((_received, response) => {
        response.writeHead(500).end();
      });
      t.after(() => sink.stop());
      const org = await world.organization();
      const filters = [{ glob: { type: "*.iam.group.created.*" } }];
      await world.operator().subscriptions.create(org, { sink: sink.url, filters });
      const group = await world.group(org);
      await sink.about(group);
      const rename = (from: string, to: string) =>
        world.server.store?.write((tx) => tx.run(`ALTER TABLE ${from} RENAME TO ${to}`));
      await rename("deliveries", "hidden");
      await until(async () => /"subscription":.*events not delivered/.test(world.server.log));
      sink.received.length = 0;
      sink.answer();
      await rename("hidden", "deliveries");
      await sink.about(group);
    });
  },
  {
    deliveryTimes: {
      lingerMs: 300,
      pollMs: 30,
      idlePollMs: 30,
      retryDelaysMs: Array(1_000).fill(20),
    },
  },
);
