import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { type Advisory, AdvisorySchema } from "@wharf/contract/messages";
import type { Publication } from "../src/publish/index.ts";

export const PUBLICATION: Publication = {
  publisher: "acme",
  namespace: "https://wharf.example.com",
  url: "https://wharf.example.com/feeds/acme",
  distributions: ["wolfi"],
  registry: "registry.example.com",
  isPublic: true,
};

export const V3 = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";

const PLAIN = {
  uid: `${"a".repeat(40)}/${"b".repeat(16)}`,
  advisoryId: "CGA-2222-3333-4444",
  createTime: "2026-01-02T03:04:05.678Z",
  updateTime: "2026-02-03T04:05:06.789Z",
  author: "writer@example.com",
  artifactName: "openssl",
  artifactType: "apk",
  artifactArchitecture: "x86_64",
  componentName: "libcrypto3",
  componentLocation: "/usr/lib/libcrypto.so.3",
  componentType: "apk",
  aliases: ["GHSA-2222-3333-4444", "CVE-2026-1234"],
};

/** For tests: an advisory with defaults. */
export function advisory(given: JsonObject = {}): Advisory {
  return fromJson(AdvisorySchema, { ...PLAIN, ...given });
}

/** For tests: an approved event, on the day of its number. */
export function event(type: JsonObject, day = 1, state = "APPROVED"): JsonObject {
  return {
    uid: `${PLAIN.uid}/${"c".repeat(15)}${day % 10}`,
    createTime: `2026-01-${String(day).padStart(2, "0")}T00:00:00.123Z`,
    author: "writer@example.com",
    reviewer: "reviewer@example.com",
    issue: "https://tickets.example.com/7",
    findings: "e30=",
    reviewState: `REVIEW_STATE_${state}`,
    ...type,
  };
}

/** Every event type that assesses. */
export const KINDS: readonly (readonly [JsonObject, status: string])[] = [
  [{ detection: { manual: {} } }, "under_investigation"],
  [{ truePositiveDetermination: { note: "seen" } }, "affected"],
  [{ falsePositiveDetermination: { type: 5, note: "never called" } }, "not_affected"],
  [{ falsePositiveDetermination: {} }, "not_affected"],
  [{ fixed: { fixedVersion: "3.5.0-r0" } }, "fixed"],
  [{ patched: { patchedVersions: ["3.4.1-r2", "3.5.0-r0"] } }, "fixed"],
  [{ fixed: {} }, "affected"],
  [{ fixNotPlanned: { note: "end of life" } }, "affected"],
  [{ analysisNotPlanned: {} }, "affected"],
  [{ pendingUpstreamFix: { note: "soon" } }, "affected"],
];

/** An advisory with an event of each kind. */
export const EACH_KIND = KINDS.map(([type], at) =>
  advisory({
    advisoryId: `CGA-2222-3333-444${at}`,
    aliases: [`CVE-2026-123${at}`],
    severities: [{ type: "TYPE_CVSS_V3", score: V3 }],
    events: [event(type, at + 1)],
  }),
);
