import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Advisory, AdvisorySchema, newChildUid, ReviewState } from "@wharf/contract";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import type { ResourceRow } from "@wharf/server/store/resources/rows.ts";
import { ORGANIZATION } from "./organization.ts";

/** The number of advisories that share an artifact, or an alias, in a data set of any size. */
export const PER_ARTIFACT = 5;
export const PER_ALIAS = 5;

const FIRST_MS = Date.UTC(2026, 0, 1);

export function artifactAt(number: number): string {
  return `package-${String(number).padStart(6, "0")}`;
}

export function aliasAt(number: number): string {
  return `CVE-2026-${String(number).padStart(6, "0")}`;
}

export function componentAt(number: number): string {
  return `component-${number % 1_000}`;
}

/** Advisories of one organization, with the variety of values that real ones have. */
export function* advisoryRows(count: number): Iterable<ResourceRow> {
  const { advisories } = RESOURCES;
  const artifacts = Math.ceil(count / PER_ARTIFACT);
  const aliases = Math.ceil(count / PER_ALIAS);
  for (let at = 0; at < count; at++) {
    yield advisories.toRow(advisoryAt(at, artifactAt(at % artifacts), aliasAt(at % aliases)));
  }
}

function advisoryAt(at: number, artifactName: string, alias: string): Advisory {
  const time = timestampFromMs(FIRST_MS + at);
  const uid = newChildUid(ORGANIZATION);
  const event = { createTime: time, author: "scanner", reviewState: ReviewState.APPROVED };
  const scanv1 = { scanner: "grype", component: "libexample", componentVersion: "1.2.3-r0" };
  return create(AdvisorySchema, {
    uid,
    advisoryId: `CGA-${String(at).padStart(8, "0")}`,
    createTime: time,
    updateTime: time,
    author: "scanner",
    artifactName,
    artifactType: "apk",
    artifactArchitecture: at % 2 === 0 ? "x86_64" : "aarch64",
    componentName: componentAt(at),
    componentType: "apk",
    componentLocation: `/usr/lib/${componentAt(at)}.so`,
    aliases: [alias],
    events: [
      {
        ...event,
        uid: newChildUid(uid),
        type: { case: "detection", value: { type: { case: "scanv1", value: scanv1 } } },
      },
      {
        ...event,
        uid: newChildUid(uid),
        type: { case: "fixed", value: { fixedVersion: "1.2.4-r0" } },
      },
    ],
  });
}
