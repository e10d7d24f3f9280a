import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type AdvisoryEvent,
  AdvisoryEventSchema,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract";
import { addsInformation as addsInformationTo } from "./adds-information.ts";

type Init = MessageInitShape<typeof AdvisoryEventSchema>;

/** "own" is a name of this installation. */
function addsInformation(...[stored, imported]: [AdvisoryEvent, AdvisoryEvent]): boolean {
  return addsInformationTo(stored, imported, (purl) => purl === "own");
}

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

describe("an imported event", () => {
  test("adds no information if it is equal to the stored one, or has fewer fields", () => {
    assert.equal(addsInformation(SCAN, SCAN), false);
    assert.equal(addsInformation(SCAN, MANUAL), false);
    assert.equal(
      addsInformation(FIXED, event({ case: "fixed", value: { fixedVersion: "1.0" } })),
      false,
    );
    assert.equal(
      addsInformation(FIXED, event({ case: "fixed", value: {} }, { author: "other" })),
      false,
    );
  });

  test("adds information if any field is new", () => {
    assert.ok(addsInformation(MANUAL, SCAN));
    const zip = { scanner: "grype", component: "zip" };
    const other = event({ case: "detection", value: { type: { case: "scanv1", value: zip } } });
    assert.ok(addsInformation(SCAN, other));
    assert.ok(addsInformation(FIXED, event({ case: "fixed", value: { fixedVersion: "1.1" } })));
    assert.ok(addsInformation(FIXED, event(FIXED.type, { reviewState: ReviewState.PENDING })));
    assert.ok(addsInformation(FIXED, event(FIXED.type, { issue: "T-1" })));
    assert.ok(addsInformation(FIXED, event(FIXED.type, { findings: new Uint8Array([1]) })));
    const patched = (...patchedVersions: string[]) =>
      event({ case: "patched", value: { patchedVersions } });
    assert.ok(addsInformation(patched("1"), patched("1", "2")));
    assert.equal(addsInformation(patched("1", "2"), patched("1", "2")), false);
    const type = FalsePositive.INLINE_MITIGATIONS_EXIST;
    const judged = event({ case: "falsePositiveDetermination", value: { type } });
    const vague = event({ case: "falsePositiveDetermination", value: {} });
    assert.ok(addsInformation(vague, judged));
    assert.equal(addsInformation(judged, vague), false);
  });

  test("adds no information if VEX has one justification for several types", () => {
    const judged = (type: FalsePositive, note = "") =>
      event({ case: "falsePositiveDetermination", value: { type, note } });
    const vex = FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE;
    const unused = judged(FalsePositive.VULNERABLE_CODE_VERSION_NOT_USED, "never built");
    assert.equal(addsInformation(unused, judged(vex, "never built")), false);
    assert.ok(addsInformation(unused, judged(vex, "why")));
    const contested = FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED;
    assert.ok(addsInformation(judged(contested), judged(vex)));
    assert.ok(addsInformation(judged(FalsePositive.INLINE_MITIGATIONS_EXIST), judged(vex)));
  });

  test("adds products that are not known, and all versions", () => {
    const about = (...products: string[]) => {
      const cleared = event({ case: "falsePositiveDetermination", value: { note: "so" } });
      return { ...cleared, products };
    };
    assert.equal(addsInformation(about("a", "b"), about("b")), false);
    assert.ok(addsInformation(about("a"), about("b")));
    assert.ok(addsInformation(about("a"), about()));
    assert.equal(addsInformation(about(), about("own")), false);
    assert.ok(addsInformation(about(), about("a")), "a name of another source");
  });
});
