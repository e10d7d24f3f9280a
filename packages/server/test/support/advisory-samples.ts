import type { JsonObject } from "@bufbuild/protobuf";

/** Advisories that differ in everything that lists filter by, and an oracle of these filters. */

const STATES = [
  "REVIEW_STATE_PENDING",
  "REVIEW_STATE_APPROVED",
  "REVIEW_STATE_REQUEST_CHANGES",
  "REVIEW_STATE_REJECTED",
] as const;

/** Every type of event, with what filters call it. */
export const TYPES = [
  ["detection", "EVENT_TYPE_FILTER_DETECTION"],
  ["truePositiveDetermination", "EVENT_TYPE_FILTER_TRUE_POSITIVE_DETERMINATION"],
  ["fixed", "EVENT_TYPE_FILTER_FIXED"],
  ["falsePositiveDetermination", "EVENT_TYPE_FILTER_FALSE_POSITIVE_DETERMINATION"],
  ["analysisNotPlanned", "EVENT_TYPE_FILTER_ANALYSIS_NOT_PLANNED"],
  ["fixNotPlanned", "EVENT_TYPE_FILTER_FIX_NOT_PLANNED"],
  ["pendingUpstreamFix", "EVENT_TYPE_FILTER_PENDING_UPSTREAM_FIX"],
  ["patched", "EVENT_TYPE_FILTER_PATCHED"],
] as const;

export interface SampleEvent {
  readonly author: string;
  readonly reviewer: string;
  readonly state: string;
  readonly type: (typeof TYPES)[number];
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

/** As many samples as asked for; the same ones each time. */
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

/** What a list request asks for, beside where. */
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

/** Whether a list request finds a sample, read off the contract and nothing else. */
export function isFound(sample: Sample, asked: Asked): boolean {
  const { events, aliases, artifactName, componentName } = sample;
  const any = (wanted: readonly string[] | undefined, ...has: readonly string[]) =>
    wanted === undefined || has.some((one) => wanted.includes(one));
  const latest = events.findLast(({ state }) => state === "REVIEW_STATE_APPROVED");
  const searched = [artifactName, componentName, ...aliases].map((one) => one.toLowerCase());
  return (
    any(asked.advisoryIds, sample.advisoryId) &&
    any(asked.legacyAdvisoryIds, sample.legacyAdvisoryId) &&
    any(asked.origin === undefined ? asked.artifactNames : [asked.origin], artifactName) &&
    any(asked.artifactTypes, sample.artifactType) &&
    any(asked.artifactArchitectures, sample.artifactArchitecture) &&
    any(asked.componentNames, componentName) &&
    any(asked.componentTypes, sample.componentType) &&
    any(asked.componentLocations, sample.componentLocation) &&
    any(asked.aliases, ...aliases) &&
    any(asked.eventReviewStates, ...events.map(({ state }) => state)) &&
    any(asked.eventAuthors, ...events.map(({ author }) => author)) &&
    !events.some(({ author }) => asked.excludeEventAuthors?.includes(author)) &&
    any(asked.eventReviewers, ...events.map(({ reviewer }) => reviewer)) &&
    any(asked.eventTypes, ...events.map(({ type }) => type[1])) &&
    (asked.latestEventType === undefined || latest?.type[1] === asked.latestEventType) &&
    (asked.query === undefined ||
      searched.some((one) => one.includes((asked.query as string).toLowerCase())))
  );
}

function pick<T>(items: readonly T[], at: number): T {
  return items[at % items.length] as T;
}
