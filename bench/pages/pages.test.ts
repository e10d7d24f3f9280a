import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cost, type Costs, type Operation, QUANTILES, type StoreName } from "../costs/cost.ts";
import { findingOf, problemOf } from "../finding.ts";
import { readOptions } from "../options.ts";
import type { Result } from "../results.ts";
import { NotMeasured, type Row, type Section } from "../row.ts";
import { pagesOf } from "./pages.ts";

function row(work: string, target?: Row["target"]): Row {
  const measure = () => Promise.reject(new Error("not called"));
  return { work, reference: "a <bare> program", measure, ...(target ? { target } : {}) };
}

function measured(ours: number, reference: number) {
  return { unit: "per s" as const, ours: [ours], reference: [reference], notes: ["a note"] };
}

const SECTIONS: Section[] = [
  {
    title: "One core",
    about: "What one core does.",
    rows: [row("work that hits", { atLeast: 0.5 }), row("work that misses", { atMost: 2 })],
  },
  {
    title: "Peers",
    about: "Other programs.",
    rows: [row("GET one, beside a peer"), row("GET one, beside another", { atLeast: 10 })],
  },
  { title: "Isolation", about: "Others.", rows: [row("work that fails", { atMost: 3 })] },
];

const [HITS, MISSES, PEER, ANOTHER, FAILS] = SECTIONS.flatMap(({ rows }) => rows) as Row[];

const FINDINGS = [
  findingOf("One core", HITS as Row, measured(90, 100), 1),
  findingOf("One core", MISSES as Row, measured(300, 100), 1),
  findingOf("Peers", PEER as Row, measured(500, 10), 1),
  problemOf("Peers", ANOTHER as Row, new NotMeasured("absent"), 0),
  problemOf("Isolation", FAILS as Row, new Error("ECONNRESET"), 0),
];

function cost(operation: Operation, store: StoreName, micros: number): Cost {
  const databaseMicros = store === "SQLite" ? 0 : 50;
  return { operation, store, perSecond: 1e6 / micros, serverMicros: micros, databaseMicros };
}

const OPERATIONS = (["SQLite", "PostgreSQL"] as const).flatMap((store) => [
  cost("GET", store, 100),
  cost("list 50", store, 400),
  cost("create", store, 250),
]);

const COSTS: Costs = {
  operations: OPERATIONS,
  loads: [
    {
      ...{ operation: "GET", store: "SQLite", share: 0.5, perSecond: 5_000 },
      ms: QUANTILES.map((share) => 2 + share),
    },
  ],
  sizes: [{ kind: "groups", rows: 1_000, bytes: 1_000_000 }],
};

const RESULT: Result = {
  made: "2026-11-16T12:00:00.000Z",
  commit: "abcdef0",
  changed: false,
  machine: {
    ...{ cores: 2, arch: "arm64", platform: "linux", memoryGiB: 8, node: "v26.1.0" },
    loadBefore: 3,
  },
  pinning: "server on core 0",
  built: true,
  settings: readOptions([]),
  took: 120,
  findings: FINDINGS,
};

function pages(result: Result): Map<string, string> {
  return pagesOf([result], SECTIONS);
}

test("a row is a hit, a miss, informative, not measured or failed, and the page says which", () => {
  assert.deepEqual(
    FINDINGS.map(({ state }) => state),
    ["met", "missed", "informative", "not measured", "failed"],
  );
  const page = pages(RESULT).get("performance.md") ?? "";
  for (const line of [
    "| work that hits | 90/s | a <bare> program: 100/s | 0.90× | ≥ 0.5 | met |",
    "| work that misses | 300/s | a <bare> program: 100/s | 3.00× | ≤ 2 | **missed** |",
    "| GET one, beside a peer | 500/s | a <bare> program: 10/s | 50.0× | – | informative |",
    "| GET one, beside another | – | a <bare> program | – | ≥ 10 | not measured |",
    "| work that fails | – | a <bare> program | – | ≤ 3 | **failed** |",
    "- work that fails: ECONNRESET.",
    "| rows | 1 met, 1 missed, 1 informative, 1 not measured, 1 failed |",
  ]) {
    assert.ok(page.includes(line), `${line}\nis not in\n${page}`);
  }
  assert.match(page, /\*\*not idle\*\* before this run \(load average 3\)/);
});

test("charts have a title, a description, colors for light and dark, and nothing from elsewhere", () => {
  const charts = [...pages({ ...RESULT, costs: COSTS })].filter(([path]) => path.endsWith(".svg"));
  assert.equal(charts.length, 2);
  for (const [path, chart] of charts) {
    assert.match(chart, /<title id="title">[^<]+<\/title>\s*<desc id="desc">[^<]+<\/desc>/, path);
    assert.match(chart, /role="img" aria-labelledby="title desc"/, path);
    assert.match(chart, /@media \(prefers-color-scheme: dark\)/, path);
    assert.deepEqual(chart.match(/https?:[^"]*/g), ["http://www.w3.org/2000/svg"], path);
    assert.doesNotMatch(chart, /NaN|Infinity|undefined|<bare>/, path);
  }
});

test("the chart of targets names misses in its description", () => {
  const chart = pages(RESULT).get("images/performance.svg") ?? "";
  assert.match(chart, /1 of 4 rows meet their target, 1 miss it, 2 have no figures/);
  assert.match(chart, /Missed: work that misses\./);
  assert.match(chart, /class="missed"/);
});

test("without measured costs there is no page about scale", () => {
  assert.doesNotMatch(pages(RESULT).get("performance.md") ?? "", /scale\.md\)/);
  assert.equal(pages(RESULT).has("scale.md"), false);
  const page = pages({ ...RESULT, costs: COSTS }).get("scale.md") ?? "";
  assert.doesNotMatch(page, /NaN|Infinity|undefined/);
  assert.match(page, /\| GET, SQLite \| 10,000 \| 100 µs \| – \|/);
  assert.match(page, /\| GET, SQLite \| 50 % \| 5,000 \| 2\.50 ms \| 2\.99 ms \|/);
  assert.match(page, /\| groups \| 1,000 \| 0\.001 GiB \| 1,000 bytes \|/);
});

test("pages have the rows and the targets of today, whatever the last run measured", () => {
  const sections = [
    {
      title: "One core",
      about: "What one core does.",
      rows: [
        row("work that hits", { atLeast: 0.95 }),
        { ...row("work that misses", { atMost: 2 }), reference: "another program" },
        row("new work", { atLeast: 1 }),
      ],
    },
  ];
  const files = pagesOf([RESULT], sections);
  const page = files.get("performance.md") ?? "";
  for (const line of [
    "| work that hits | 90/s | a <bare> program: 100/s | 0.90× | ≥ 0.95 | **missed** |",
    "| work that misses | – | another program | – | ≤ 2 | not measured |",
    "| new work | – | a <bare> program | – | ≥ 1 | not measured |",
    "| rows | 1 missed, 2 not measured |",
  ]) {
    assert.ok(page.includes(line), `${line}\nis not in\n${page}`);
  }
  assert.doesNotMatch(page, /beside a peer|work that fails/);
  assert.match(
    files.get("images/performance.svg") ?? "",
    /0 of 3 rows meet their target, 1 miss it, 2 have no figures/,
  );
});
