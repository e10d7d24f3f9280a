import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { Dispatcher } from "./dispatcher.ts";

class Workers {
  readonly counts = new Map<string, number[]>();
  readonly all = [0, 1, 2].map((at) => ({
    receive: ({ remoteAddress = "" }: Socket) => {
      const counts = this.counts.get(remoteAddress) ?? [0, 0, 0];
      counts[at] = (counts[at] ?? 0) + 1;
      this.counts.set(remoteAddress, counts);
    },
  }));
}

const from = (remoteAddress: string, destroy = () => {}) =>
  ({ remoteAddress, destroy }) as unknown as Socket;

test("connections of each network go to all workers in turn, whatever others do", () => {
  const workers = new Workers();
  const dispatcher = new Dispatcher(10);
  for (const worker of workers.all) dispatcher.add(worker);
  for (let at = 0; at < 30; at++) {
    dispatcher.dispatch(from("192.0.2.1"));
    if (at % 3 === 0) dispatcher.dispatch(from("192.0.2.2"));
  }
  assert.deepEqual(workers.counts.get("192.0.2.1"), [10, 10, 10]);
  assert.deepEqual(workers.counts.get("192.0.2.2")?.toSorted(), [3, 3, 4]);
});

test("connections wait until a worker is ready, up to a limit", () => {
  const workers = new Workers();
  const dispatcher = new Dispatcher(2);
  let closed = 0;
  for (let at = 0; at < 3; at++) dispatcher.dispatch(from("192.0.2.1", () => closed++));
  assert.equal(closed, 1);
  const [first] = workers.all as [Workers["all"][number]];
  dispatcher.add(first);
  assert.deepEqual(workers.counts.get("192.0.2.1"), [2, 0, 0]);
  dispatcher.remove(first);
  dispatcher.dispatch(from("192.0.2.1"));
  assert.deepEqual(workers.counts.get("192.0.2.1"), [2, 0, 0]);
});
