import assert from "node:assert/strict";
import { test } from "node:test";
import { Histogram, Registry } from "prom-client";
import { Latencies } from "./latencies.ts";

test("the output equals that of a histogram of the library", async () => {
  const labels = { protocol: "rest", method: "x/Get", code: 0 };
  const ours = new Latencies("requests_seconds", "Requests.");
  const series = ours.series(labels);
  const registry = new Registry();
  registry.registerMetric(ours.metric);
  const theirs = new Registry();
  const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];
  const histogram = new Histogram({
    name: "requests_seconds",
    help: "Requests.",
    labelNames: Object.keys(labels),
    buckets,
    registers: [theirs],
  });
  for (const seconds of [0.0001, 0.0005, 0.0006, 0.2, 10, 11, 3]) {
    series.add(seconds);
    histogram.observe(labels, seconds);
  }
  assert.equal(await registry.metrics(), await theirs.metrics());
});
