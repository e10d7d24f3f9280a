import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { PipedTurn, WriteTurns } from "./write-turns.ts";

/** Workers with their pipes, and the order in which they got their turns. */
function workers(count: number) {
  const turns = new WriteTurns();
  const order: number[] = [];
  const all = Array.from({ length: count }, (_, number) => {
    const [ours, theirs] = duplexPair();
    turns.serve(ours);
    const turn = new PipedTurn(theirs);
    const acquire = () => turn.acquire().then(() => void order.push(number));
    return {
      acquire,
      release: () => turn.release(),
      passOn: () => turns.passOn(ours),
      end: () => ours.destroy(),
    };
  });
  return { order, all: all as readonly Worker[] as [Worker, Worker, Worker] };
}

interface Worker {
  acquire(): Promise<void>;
  release(): void;
  /** It hangs, as the supervisor sees it. */
  passOn(): void;
  /** As its process would. */
  end(): void;
}

async function settled(): Promise<void> {
  for (let tick = 0; tick < 10; tick++) await nextTick();
}

test("one at a time has its turn, in the order in which they ask", async () => {
  const { order, all } = workers(3);
  const [a, b, c] = all;
  await a.acquire();
  const others = [b.acquire(), c.acquire()];
  await settled();
  assert.deepEqual(order, [0]);
  a.release();
  const again = a.acquire();
  await settled();
  assert.deepEqual(order, [0, 1]);
  b.release();
  await settled();
  assert.deepEqual(order, [0, 1, 2]);
  c.release();
  await Promise.all([...others, again]);
  assert.deepEqual(order, [0, 1, 2, 0]);
});

test("the turn of a worker that ends is free, and one that has ended gets none", async () => {
  const { order, all } = workers(3);
  const [a, b, c] = all;
  await a.acquire();
  void b.acquire();
  const last = c.acquire();
  await settled();
  b.end();
  a.end();
  await last;
  assert.deepEqual(order.includes(2), true);
});

test("the turn of a worker that hangs passes on, and it asks for others once it goes on", async () => {
  const { order, all } = workers(3);
  const [a, b, c] = all;
  await a.acquire();
  const hanging = b.acquire();
  const last = c.acquire();
  await settled();
  b.passOn();
  a.passOn();
  await Promise.all([hanging, last]);
  assert.deepEqual(order, [0, 1, 2]);
  // Neither has a turn to release: that of the third is not given away.
  a.release();
  b.release();
  const again = a.acquire();
  await settled();
  assert.deepEqual(order, [0, 1, 2]);
  c.release();
  await again;
  assert.deepEqual(order, [0, 1, 2, 0]);
});

test("a worker without a supervisor does not wait", async () => {
  const [ours, theirs] = duplexPair();
  const turn = new PipedTurn(theirs);
  const waiting = turn.acquire();
  ours.destroy();
  theirs.destroy();
  await waiting;
  turn.release();
  await turn.acquire();
});
