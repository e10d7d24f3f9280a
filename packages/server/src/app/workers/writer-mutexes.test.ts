import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { PipeMutex, WriterMutexes } from "./writer-mutexes.ts";

/** Workers with their pipes, and the order in which they acquired the mutex. */
function workers(count: number) {
  const mutexes = new WriterMutexes();
  const order: number[] = [];
  const all = Array.from({ length: count }, (_, number) => {
    const [ours, theirs] = duplexPair();
    mutexes.serve(ours);
    const mutex = new PipeMutex(theirs);
    const acquire = () => mutex.acquire().then(() => void order.push(number));
    return {
      acquire,
      release: () => mutex.release(),
      passOn: () => mutexes.passOn(ours),
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

test("one worker at a time holds the mutex, in the order of the requests", async () => {
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

test("the mutex of a worker that ends is free, and one that has ended does not get it", async () => {
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

test("the mutex of a worker that hangs passes on, and the worker requests it again once it goes on", async () => {
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
  // Neither holds the mutex: the third does not lose it.
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
  const mutex = new PipeMutex(theirs);
  const waiting = mutex.acquire();
  ours.destroy();
  theirs.destroy();
  await waiting;
  mutex.release();
  await mutex.acquire();
});
