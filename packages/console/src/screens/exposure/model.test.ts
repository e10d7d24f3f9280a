import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countsOf, filtersOf, imageName, openOf, seriesOf } from "./model.ts";

describe("filters of findings in the URL", () => {
  test("are the conditions of the request", () => {
    assert.deepEqual(
      filtersOf({
        severity: "critical,high",
        fixable: "true",
        used: "true",
        exploited: "true",
        likely: "true",
        status: "suppressed",
        package: " openssl ",
      }),
      {
        severities: ["FINDING_SEVERITY_CRITICAL", "FINDING_SEVERITY_HIGH"],
        statuses: [
          "FINDING_STATUS_NOT_AFFECTED",
          "FINDING_STATUS_FIXED",
          "FINDING_STATUS_ACCEPTED",
        ],
        fixable: true,
        inUse: true,
        knownExploited: true,
        minExploitProbability: 0.1,
        package: "openssl",
      },
    );
  });

  test("that nobody has written are ignored", () => {
    const edited = {
      severity: "dreadful,",
      fixable: "1",
      used: "no",
      status: "open",
      package: " ",
    };
    assert.deepEqual(filtersOf(edited), {});
  });
});

describe("numbers of findings", () => {
  const counts = [
    { severity: "FINDING_SEVERITY_HIGH", open: "7", fixable: "3" },
    { severity: "FINDING_SEVERITY_LOW", open: "2" },
  ] as const;

  test("are by severity, zero where there are none", () => {
    assert.deepEqual(countsOf(counts, "high"), { open: 7, fixable: 3 });
    assert.deepEqual(countsOf(counts, "critical"), { open: 0, fixable: 0 });
    assert.equal(openOf(counts), 9);
  });

  test("of days are series, in which low and unrated ones are one", () => {
    const days = [
      { date: "2026-01-01", severities: [] },
      { date: "2026-01-02", severities: [...counts, { open: "5" }] },
    ];
    const values = seriesOf(days).map((one) => one.values);
    assert.deepEqual(values, [
      [0, 0],
      [0, 7],
      [0, 0],
      [0, 7],
    ]);
  });
});

describe("the name of an image", () => {
  test("has its tag, or a part of its digest", () => {
    const digest = `sha256:${"ab".repeat(32)}`;
    assert.equal(
      imageName({ repoPath: "acme/api", tags: ["1.4", "latest"], digest }),
      "acme/api:1.4",
    );
    assert.equal(imageName({ repoPath: "acme/api", digest }), "acme/api@sha256:abababababab");
  });
});
