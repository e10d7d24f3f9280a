/** Samples of advisories that differ in everything that lists filter by. */
import type { JsonObject } from "@bufbuild/protobuf";
import { EVENT_TYPES, isShown, type Stored } from "./advisory-model.ts";

/** Advisories that differ in everything that lists filter by. */

const STATES = [
  "REVIEW_STATE_PENDING",
  "REVIEW_STATE_APPROVED",
  "REVIEW_STATE_REQUEST_CHANGES",
  "REVIEW_STATE_REJECTED",
] as const;

/** Every type of event, with what filters call it. */
export const TYPES = Object.entries(EVENT_TYPES);

export interface SampleEvent {
  readonly author: string;
  readonly reviewer: string;
  readonly state: string;
  readonly type: readonly [name: string, filter: string];
}

export interface Sample {
  readonly advisoryId: string;
  readonly legacyAdvisoryId: string;
  readonly artifactName: string;
  readonly artifactType: string;
  readonly artifactArchitecture: string;
  readonly componentName: string;
  readonly componentType: string;
  readonly componentLocation: string;
  readonly aliases: readonly string[];
  readonly events: readonly SampleEvent[];
}

const ARTIFACTS = ["openssl", "OpenSSL-FIPS", "zlib", "a_b", "100%", "back\\slash", "aXb"];

/** A number of samples; the same ones each time. */
export function samples(count: number): Sample[] {
  return Array.from({ length: count }, (_, at) => ({
    advisoryId: `CGA-${at}`,
    legacyAdvisoryId: at % 3 === 0 ? `CVE-old-${at}` : "",
    artifactName: pick(ARTIFACTS, at),
    artifactType: pick(["apk", "image", "library"], at >> 1),
    artifactArchitecture: pick(["x86_64", "aarch64"], at >> 2),
    componentName: pick(["libcrypto3", "Go-Module", "log4j", ""], at >> 1),
    componentType: pick(["apk", "go-module", "java"], at >> 3),
    componentLocation: pick(["/usr/bin/x", "/lib/y", ""], at),
    aliases: [`CVE-2026-${at % 11}`, ...(at % 4 === 0 ? [`GHSA-${at % 5}x`, "cve-Shared"] : [])],
    events: Array.from({ length: (at >> 2) % 4 }, (_, number) => ({
      author: pick(["ann@example.com", "bob@example.com", "cid@example.com"], at + number),
      reviewer: pick(["", "dan@example.com", "eve@example.com"], at + 2 * number),
      state: pick(STATES, (at >> 2) + number),
      type: pick(TYPES, at + 3 * number),
    })),
  }));
}

/** A sample as the JSON of its message. */
export function messageOf({ events, legacyAdvisoryId, ...rest }: Sample): JsonObject {
  return {
    ...rest,
    aliases: [...rest.aliases],
    ...(legacyAdvisoryId === "" ? {} : { legacyAdvisoryId }),
    events: events.map(({ author, reviewer, state, type: [type] }, at) => ({
      createTime: `2026-01-01T00:00:0${at}Z`,
      author,
      reviewer,
      reviewState: state,
      [type]: {},
    })),
  };
}

/** The filters of a list request beside its scope. */
export interface Asked {
  readonly advisoryIds?: readonly string[];
  readonly legacyAdvisoryIds?: readonly string[];
  readonly artifactNames?: readonly string[];
  readonly artifactTypes?: readonly string[];
  readonly artifactArchitectures?: readonly string[];
  readonly componentNames?: readonly string[];
  readonly componentTypes?: readonly string[];
  readonly componentLocations?: readonly string[];
  readonly aliases?: readonly string[];
  readonly origin?: string;
  readonly eventReviewStates?: readonly string[];
  readonly eventAuthors?: readonly string[];
  readonly excludeEventAuthors?: readonly string[];
  readonly eventReviewers?: readonly string[];
  readonly eventTypes?: readonly string[];
  readonly latestEventType?: string;
  readonly query?: string;
}

/** Whether a list request of someone who may list everywhere finds a sample. */
export function isFound(sample: Sample, asked: Asked): boolean {
  const placed = { uid: "", createTime: "", updateTime: "", ...messageOf(sample) };
  return isShown(placed as unknown as Stored, asked, undefined, []);
}

function pick<T>(items: readonly T[], at: number): T {
  return items[at % items.length] as T;
}
