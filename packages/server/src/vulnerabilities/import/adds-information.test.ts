import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  AdvisoryEventSchema,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract";
import { saysMore } from "./adds-information.ts";

type Init = MessageInitShape<typeof AdvisoryEventSchema>;

function event(type: Init["type"], more: Init = {}) {
  const common = { reviewState: ReviewState.APPROVED, author: "someone" };
  return create(AdvisoryEventSchema, { ...common, ...more, type } as Init);
}

const SCAN = event({
  case: "detection",
  value: { type: { case: "scanv1", value: { scanner: "grype", component: "zlib" } } },
});
const MANUAL = event({ case: "detection", value: { type: { case: "manual", value: {} } } });
const FIXED = event({
  case: "fixed",
  value: { fixedVersion: "1.0", note: "done", scannerVersion: "7" },
});

describe("an event that comes in again", () => {
  test("says no more when it is the same, or has less in it", () => {
    assert.equal(saysMore(SCAN, SCAN), false);
    assert.equal(saysMore(SCAN, MANUAL), false);
    assert.equal(saysMore(FIXED, event({ case: "fixed", value: { fixedVersion: "1.0" } })), false);
    assert.equal(saysMore(FIXED, event({ case: "fixed", value: {} }, { author: "other" })), false);
  });

  test("says more when anything in it is new", () => {
    assert.ok(saysMore(MANUAL, SCAN));
    const zip = { scanner: "grype", component: "zip" };
    const other = event({ case: "detection", value: { type: { case: "scanv1", value: zip } } });
    assert.ok(saysMore(SCAN, other));
    assert.ok(saysMore(FIXED, event({ case: "fixed", value: { fixedVersion: "1.1" } })));
    assert.ok(saysMore(FIXED, event(FIXED.type, { reviewState: ReviewState.PENDING })));
    assert.ok(saysMore(FIXED, event(FIXED.type, { issue: "T-1" })));
    assert.ok(saysMore(FIXED, event(FIXED.type, { findings: new Uint8Array([1]) })));
    const patched = (...patchedVersions: string[]) =>
      event({ case: "patched", value: { patchedVersions } });
    assert.ok(saysMore(patched("1"), patched("1", "2")));
    assert.equal(saysMore(patched("1", "2"), patched("1", "2")), false);
    const type = FalsePositive.INLINE_MITIGATIONS_EXIST;
    const judged = event({ case: "falsePositiveDetermination", value: { type } });
    const vague = event({ case: "falsePositiveDetermination", value: {} });
    assert.ok(saysMore(vague, judged));
    assert.equal(saysMore(judged, vague), false);
  });

  test("says no more when VEX has one word for several reasons", () => {
    const judged = (type: FalsePositive, note = "") =>
      event({ case: "falsePositiveDetermination", value: { type, note } });
    const vex = FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE;
    const contested = judged(FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED);
    const unused = judged(FalsePositive.VULNERABLE_CODE_VERSION_NOT_USED, "never built");
    assert.equal(saysMore(contested, judged(vex)), false);
    assert.equal(saysMore(unused, judged(vex, "never built")), false);
    assert.ok(saysMore(contested, judged(vex, "why")));
    assert.ok(saysMore(judged(FalsePositive.INLINE_MITIGATIONS_EXIST), judged(vex)));
  });
});
