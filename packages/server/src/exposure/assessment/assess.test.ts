import assert from "node:assert/strict";
import { test } from "node:test";
import { DecisionOrigin, FindingStatus, MatchedBy } from "@wharf/contract";
import { MATCH_STATES } from "../matching/match.ts";
import { assess } from "./assess.ts";
import type { FindingStatement } from "./finding.ts";
import type { KnownMatch } from "./knowledge.ts";

const VULNERABILITY = { name: "CVE-2026-0001", names: ["CVE-2026-0001", "GHSA-1"] };

const matched = (id: number, state: number, more: object = {}): KnownMatch => ({
  record: {
    ...{ id, group: "org", ecosystem: "npm", severity: 3, score: "", updated: 1 },
    detail: { id: `R-${id}` },
    ...more,
  },
  ...{ state, matchedBy: MatchedBy.NAME, fixed: [`${id}.0.0`], detail: {} },
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
  assert.deepEqual([one?.status, one?.fixable, one?.version], [FindingStatus.AFFECTED, true, 7]);
  assert.deepEqual(one?.detail.fixed, ["2.0.0", "10.0.0"]);
  assert.deepEqual(one?.detail.records, [
    [10, "R-10"],
    [2, "R-2"],
  ]);
  assert.equal(found([matched(1, unknown)])[0]?.status, FindingStatus.UNKNOWN);
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
  assert.equal(one?.status, FindingStatus.NOT_AFFECTED);
  assert.equal(one?.detail.decision?.origin, DecisionOrigin.SUPPLIER);
  const near = matched(2, affected, { group: "org/team" });
  assert.equal(found([near], [], [clearance])[0]?.status, FindingStatus.AFFECTED);
});

test("a decision precedes VEX documents, and these the supplier; the others are kept", () => {
  const decision = { origin: DecisionOrigin.DECISION, status: FindingStatus.AFFECTED };
  const attached = { origin: DecisionOrigin.ATTACHED, status: FindingStatus.FIXED };
  const clearance = matched(9, notAffected);
  const [one] = found([matched(1, affected), clearance], [attached, decision]);
  assert.equal(one?.status, FindingStatus.AFFECTED);
  assert.deepEqual(
    one?.detail.others?.map(({ origin }) => origin),
    [DecisionOrigin.ATTACHED, DecisionOrigin.SUPPLIER],
  );
  assert.equal(
    found([matched(1, affected), clearance], [attached])[0]?.status,
    FindingStatus.FIXED,
  );
});

test("a statement without a status hides nothing", () => {
  const open = { origin: DecisionOrigin.ATTACHED, status: 0 };
  const [one] = found([matched(1, unknown)], [open]);
  assert.equal(one?.status, FindingStatus.UNKNOWN);
  assert.deepEqual(one?.detail.others, [open]);
  assert.equal(one?.detail.decision, undefined);
});
