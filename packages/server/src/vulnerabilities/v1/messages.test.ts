import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { AdvisoryEventSchema, AdvisorySchema, advisoriesV1 as v1 } from "@wharf/contract";
import { eventFromV1, eventToV1, fromV1, toV1 } from "./messages.ts";

const SCAN = {
  scanner: "grype",
  subpackageName: "libssl3",
  componentId: "id",
  componentName: "openssl",
  componentVersion: "3.1.4",
  componentType: "apk",
  componentLocation: "/lib",
  artifactVersion: "3.1.4-r0",
  scannerVersion: "0.8",
  grypeDbBuilt: "2026-01-01",
  grypeDbChecksum: "sha256:0",
};
const FIX = {
  ...{ fixedVersion: "3.1.4-r1", note: "so", scannerVersion: "0.8" },
  ...{ grypeDbBuilt: "2026-01-01", grypeDbChecksum: "sha256:0" },
};

/** Every type of event in version 1, with every field. */
const EVENTS: readonly JsonObject[] = [
  { detection: { nvdapi: { cpeSearched: "a", cpeFound: "b" } } },
  { detection: { manual: {} } },
  { detection: { scanv1: SCAN } },
  { fixed: FIX },
  { falsePositiveDetermination: { type: "INLINE_MITIGATIONS_EXIST", note: "so" } },
  { analysisNotPlanned: { note: "so" } },
  { fixNotPlanned: { note: "so" } },
  { pendingUpstreamFix: { note: "so" } },
  { truePositiveDetermination: { note: "so" } },
  { patched: { patchedVersions: ["1", "2"], note: "so" } },
  { componentLocationChanged: { previousLocation: "/a", newLocation: "/b", note: "so" } },
];

test("the samples have every event type", () => {
  const types = v1.AdvisoryEventSchema.oneofs[0]?.fields.map((field) => field.jsonName);
  const sampled = new Set(EVENTS.flatMap((event) => Object.keys(event)));
  assert.deepEqual([...sampled].sort(), types?.toSorted());
});

for (const event of EVENTS) {
  test(`no field is lost of ${JSON.stringify(event)}`, () => {
    const rest = { id: "x", timestamp: "2026-01-01T00:00:00Z", findings: "AAAA", issue: "T-1" };
    const whole = { ...rest, ...event, status: "REJECTED" };
    const there = eventFromV1(fromJson(v1.AdvisoryEventSchema, whole));
    assert.deepEqual(toJson(v1.AdvisoryEventSchema, eventToV1(there)), whole);
  });
}

test("fields have other names in version 2", () => {
  const there = eventFromV1(
    fromJson(v1.AdvisoryEventSchema, { detection: { scanv1: SCAN }, status: "APPROVED" }),
  );
  const { subpackageName: subpackage, componentName: component, ...same } = SCAN;
  assert.deepEqual(toJson(AdvisoryEventSchema, there), {
    reviewState: "REVIEW_STATE_APPROVED",
    detection: { scanv1: { ...same, subpackage, component } },
  });
});

test("author and reviewer are output only", () => {
  const event = create(v1.AdvisoryEventSchema, { author: "me", reviewer: "you" });
  const { author, reviewer } = eventFromV1(event);
  assert.deepEqual([author, reviewer], ["", ""]);
  const shown = eventToV1(create(AdvisoryEventSchema, { author: "me", reviewer: "you" }));
  assert.deepEqual([shown.author, shown.reviewer], ["me", "you"]);
  const given = fromV1(create(v1.AdvisorySchema, { author: "me", events: [event], id: "x" }));
  assert.deepEqual([given.author, given.events, given.uid], ["", [], ""]);
});

test("an advisory is translated with all fields", () => {
  const json = {
    ...{ uid: "u", advisoryId: "CGA-1", author: "me", artifactName: "a", artifactType: "apk" },
    ...{ artifactArchitecture: "x", componentName: "c", componentLocation: "/c" },
    ...{ componentType: "so", aliases: ["CVE-1"], legacyAdvisoryId: "OLD" },
    createTime: "2026-01-01T00:00:00Z",
    updateTime: "2026-01-02T00:00:00Z",
    deleteTime: "2026-01-03T00:00:00Z",
  };
  const { uid, legacyAdvisoryId, createTime, updateTime, deleteTime, ...same } = json;
  assert.deepEqual(toJson(v1.AdvisorySchema, toV1(fromJson(AdvisorySchema, json))), {
    ...{ ...same, id: uid, legacyAdvisoryID: legacyAdvisoryId },
    ...{ createdAt: createTime, updatedAt: updateTime, deletedAt: deleteTime },
  });
});
