import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeMetrics, withoutGauges } from "./merge-metrics.ts";

const report = (requests: number, memory: number) => `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{path="/a b",code="0"} ${requests}

# HELP seconds Durations.
# TYPE seconds histogram
seconds_bucket{le="0.1"} ${requests}
seconds_bucket{le="+Inf"} ${requests}
seconds_sum ${requests / 4}
seconds_count ${requests}

# HELP memory_bytes Memory.
# TYPE memory_bytes gauge
memory_bytes ${memory}

# HELP handles Handles.
# TYPE handles gauge
handles{type="Socket"} +Inf
`;

test("counters and histograms are added up, gauges are kept by worker", () => {
  const merged = mergeMetrics([
    ["1", report(3, 10)],
    ["2", report(5, 20)],
  ]);
  assert.equal(
    merged,
    `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{path="/a b",code="0"} 8

# HELP seconds Durations.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 8
seconds_bucket{le="+Inf"} 8
seconds_sum 2
seconds_count 8

# HELP memory_bytes Memory.
# TYPE memory_bytes gauge
memory_bytes{worker="1"} 10
memory_bytes{worker="2"} 20

# HELP handles Handles.
# TYPE handles gauge
handles{worker="1",type="Socket"} +Inf
handles{worker="2",type="Socket"} +Inf
`,
  );
});

test("counters of a worker that has ended still count, its gauges do not", () => {
  const ended = withoutGauges(report(3, 10));
  const merged = mergeMetrics([
    ["2", report(5, 20)],
    ["0", ended],
  ]);
  assert.match(merged, /^requests_total\{path="\/a b",code="0"\} 8$/m);
  assert.match(merged, /^seconds_count 8$/m);
  assert.match(merged, /^memory_bytes\{worker="2"\} 20$/m);
  assert.doesNotMatch(merged, /worker="0"/);
});
