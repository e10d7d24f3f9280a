import { baseScore, severityOf } from "@wharf/advisories/base-score";
import { isLimited } from "@wharf/advisories/package-url";
import type { AdvisoryEventJson, AdvisoryJson, SeverityJson } from "@wharf/contract/messages";
import { type EventType, type SEVERITIES, STATUSES } from "../../texts/advisories.ts";

const TYPES = Object.keys(STATUSES) as EventType[];

/** The type of an event, of version 1 or 2. */
export function typeOf(
  event: Readonly<Partial<Record<EventType, unknown>>>,
): EventType | undefined {
  return TYPES.find((type) => event[type] !== undefined);
}

/** The latest approved event that says something of the whole artifact: it decides the status. */
export function decisiveEvent({ events = [] }: AdvisoryJson): AdvisoryEventJson | undefined {
  return (
    events
      .filter(({ reviewState }) => reviewState === "REVIEW_STATE_APPROVED")
      .filter(({ componentLocationChanged }) => componentLocationChanged === undefined)
      // That single products are not affected says nothing of others.
      .filter((event) => event.falsePositiveDetermination === undefined || !isLimited(event))
      // Of two events at the same time, the one stored later wins, as on the server.
      .toSorted((one, other) => timeOf(one) - timeOf(other))
      .at(-1)
  );
}

export function timeOf({ createTime = "" }: AdvisoryEventJson): number {
  return Date.parse(createTime);
}

/** The versions that an event calls fixed. */
export function versionsOf({ fixed, patched }: AdvisoryEventJson): readonly string[] {
  return patched?.patchedVersions ?? (fixed?.fixedVersion ? [fixed.fixedVersion] : []);
}

export function pendingEvents({ events = [] }: AdvisoryJson): readonly AdvisoryEventJson[] {
  return events.filter(({ reviewState }) => reviewState === "REVIEW_STATE_PENDING");
}

export interface SeverityLevel {
  readonly level: keyof typeof SEVERITIES;
  readonly score: number;
}

/** The highest severity whose score is known: of a number, or of a vector of CVSS 3. */
export function severityLevel(severities: readonly SeverityJson[] = []): SeverityLevel | undefined {
  return severities
    .flatMap(({ score = "" }): SeverityLevel[] => {
      const value = /^\d+(\.\d+)?$/.test(score) ? Number(score) : baseScore(score)?.score;
      return value === undefined ? [] : [{ score: value, level: severityOf(value) }];
    })
    .toSorted((one, other) => one.score - other.score)
    .at(-1);
}
