import assert from "node:assert/strict";
import { test } from "node:test";
import { EventQueue } from "./event-queue.ts";
import { randomOf } from "./random.ts";
import { type Model, simulate, type Workload } from "./simulate.ts";

const OPTIONS = { requests: 100_000, seed: 7 };

function mean(times: ArrayLike<number>): number {
  return Array.from(times).reduce((sum, time) => sum + time, 0) / times.length;
}

function near(actual: number, expected: number, tolerance: number): void {
  const error = Math.abs(actual / expected - 1);
  assert.ok(error <= tolerance, `${actual} is not within ${tolerance} of ${expected}`);
}

function queue(servers: number, workload: Workload): Model {
  return { stations: new Map([["server", servers]]), workloads: [workload] };
}

/** A station with service times of 1 ms on average. */
function single(perSecond: number, each: Workload["stages"], servers = 1) {
  const outcome = simulate(queue(servers, { name: "all", perSecond, stages: each }), OPTIONS);
  return { times: outcome.times.get("all") ?? [], busy: outcome.busy.get("server") ?? 0 };
}

test("events leave the queue in the order of their times", () => {
  const events = new EventQueue<number>();
  const random = randomOf(3);
  const times = Array.from({ length: 1_000 }, () => random.uniform());
  for (const [at, time] of times.entries()) events.add(time, at);
  const left = times.map(() => events.next()?.time);
  assert.deepEqual(
    left,
    [...times].sort((a, b) => a - b),
  );
  assert.equal(events.next(), undefined);
});

test("an M/M/1 queue has the response times of the formula", () => {
  const { times, busy } = single(500, (random) => [
    { station: "server", each: random.exponential(1) },
  ]);
  // The response time is exponentially distributed with the mean s / (1 - ρ).
  near(mean(times), 1 / (1 - 0.5), 0.03);
  near(times[Math.floor(times.length * 0.99)] as number, 2 * Math.log(100), 0.05);
  near(busy, 0.5, 0.02);
});

test("an M/D/1 queue waits half as long as M/M/1", () => {
  const { times } = single(500, () => [{ station: "server", each: 1 }]);
  // Pollaczek and Khinchine: the wait is ρ s / (2 (1 - ρ)).
  near(mean(times) - 1, 0.5 / (2 * 0.5), 0.03);
});

test("an M/M/2 queue has the wait of Erlang's formula C", () => {
  const { times } = single(
    1_000,
    (random) => [{ station: "server", each: random.exponential(1) }],
    2,
  );
  const offered = 1;
  const waiting = (offered ** 2 / 2) * (1 / (1 - offered / 2));
  const probability = waiting / (1 + offered + waiting);
  near(mean(times) - 1, probability / (2 - offered), 0.05);
});

test("a group commit serves any number of waiting requests at once", () => {
  // One by one, requests of 4 ms each would need four servers.
  const { times, busy } = single(1_000, () => [{ station: "server", each: 0.01, shared: 4 }]);
  assert.ok(busy <= 1);
  // A request waits for the commit under way, and for its own.
  assert.ok((times.at(-1) as number) < 9);
  near(mean(times), 4 + 2, 0.05);
});

test("requests without a shared part are served one by one between commits", () => {
  const stations = new Map([["server", 1]]);
  const workloads: Workload[] = [
    { name: "write", perSecond: 100, stages: () => [{ station: "server", each: 0, shared: 2 }] },
    { name: "read", perSecond: 100, stages: () => [{ station: "server", each: 1 }] },
  ];
  const { times } = simulate({ stations, workloads }, OPTIONS);
  const [writes, reads] = [times.get("write") ?? [], times.get("read") ?? []];
  assert.ok(Math.min(...Array.from(reads).slice(0, 10)) >= 0.999);
  assert.ok(mean(writes) > 2 && mean(reads) > 1);
});

test("delays occupy nothing", () => {
  const { times, busy } = single(5_000, () => [{ station: "server", each: 0.1 }, { delay: 50 }]);
  near(mean(times), 50 + 0.1 + 0.05, 0.01);
  near(busy, 0.5, 0.02);
});

test("the same seed has the same outcome, and unknown stations are errors", () => {
  const model = queue(1, {
    name: "all",
    perSecond: 10,
    stages: (random) => [{ station: "server", each: random.exponential(1) }],
  });
  const options = { requests: 1_000, seed: 1 };
  assert.deepEqual(simulate(model, options), simulate(model, options));
  const elsewhere = { ...model, stations: new Map() };
  assert.throws(() => simulate(elsewhere, options), /no station "server"/);
});
