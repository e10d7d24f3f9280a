import assert from "node:assert/strict";
import { test } from "node:test";
import { MATCH_STATES, MATCHED_BY } from "../matching/match.ts";
import { assess } from "./assess.ts";
import { type FindingStatement, ORIGINS, STATUSES } from "./finding.ts";
import type { KnownMatch } from "./knowledge.ts";

const VULNERABILITY = { name: "CVE-2026-0001", names: ["CVE-2026-0001", "GHSA-1"] };

const matched = (id: number, state: number, more: object = {}): KnownMatch => ({
  record: {
    ...{ id, group: "org", ecosystem: "npm", severity: 3, score: "", updated: 1 },
    detail: { id: `R-${id}` },
    ...more,
  },
  ...{ state, matchedBy: MATCHED_BY.name, fixed: [`${id}.0.0`], detail: {} },
});

function found(
  matches: readonly KnownMatch[],
  statements: readonly FindingStatement[] = [],
  ofOwner: readonly KnownMatch[] = [],
) {
  return assess({
    versions: [{ version: 7, matches, ofOwner }],
    vulnerabilitiesOf: () => [VULNERABILITY],
    statementsAbout: () => statements,
  });
}

const { affected, notAffected, unknown } = MATCH_STATES;

test("records of one vulnerability are one finding, with the fixes of all in order", () => {
  const [one, ...more] = found([matched(10, affected), matched(2, unknown)]);
  assert.deepEqual(more, []);
  assert.deepEqual([one?.status, one?.fixable, one?.version], [STATUSES.affected, true, 7]);
  assert.deepEqual(one?.detail.fixed, ["2.0.0", "10.0.0"]);
  assert.deepEqual(one?.detail.records, [
    [10, "R-10"],
    [2, "R-2"],
  ]);
  assert.equal(found([matched(1, unknown)])[0]?.status, STATUSES.unknown);
  assert.deepEqual(found([matched(1, notAffected)]), []);
});

test("the severity is that of the nearest record that has one", () => {
  const near = matched(2, affected, { group: "org/team", severity: 0 });
  const [one] = found([matched(1, affected, { severity: 5, score: "critical" }), near]);
  assert.deepEqual([one?.severity, one?.detail.rated, one?.detail.score], [5, 1, "critical"]);
  const [other] = found([
    matched(1, affected, { severity: 5 }),
    matched(2, affected, { group: "org/team", severity: 2 }),
  ]);
  assert.equal(other?.severity, 2);
});

test("a clearance precedes records of its group and above, and stays visible", () => {
  const clearance = matched(9, notAffected);
  const [one] = found([matched(1, affected)], [], [clearance]);
  assert.equal(one?.status, STATUSES.notAffected);
  assert.equal(one?.detail.decision?.origin, ORIGINS.supplier);
  const near = matched(2, affected, { group: "org/team" });
  assert.equal(found([near], [], [clearance])[0]?.status, STATUSES.affected);
});

test("a decision precedes VEX documents, and these the supplier; the others are kept", () => {
  const decision = { origin: ORIGINS.decision, status: STATUSES.affected };
  const attached = { origin: ORIGINS.attached, status: STATUSES.fixed };
  const clearance = matched(9, notAffected);
  const [one] = found([matched(1, affected), clearance], [attached, decision]);
  assert.equal(one?.status, STATUSES.affected);
  assert.deepEqual(
    one?.detail.others?.map(({ origin }) => origin),
    [ORIGINS.attached, ORIGINS.supplier],
  );
  assert.equal(found([matched(1, affected), clearance], [attached])[0]?.status, STATUSES.fixed);
});

test("a statement without a status hides nothing", () => {
  const open = { origin: ORIGINS.attached, status: 0 };
  const [one] = found([matched(1, unknown)], [open]);
  assert.equal(one?.status, STATUSES.unknown);
  assert.deepEqual(one?.detail.others, [open]);
  assert.equal(one?.detail.decision, undefined);
});
