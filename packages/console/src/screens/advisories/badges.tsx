import type { AdvisoryJson } from "@wharf/contract/messages";
import {
  advisoryTexts,
  REVIEW_STATES,
  SEVERITIES,
  STATUSES,
  TONES,
} from "../../texts/advisories.ts";
import type { AnyEvent } from "./event-content.tsx";
import { decisiveEvent, type SeverityLevel, severityLevel, typeOf, versionsOf } from "./model.ts";

/** The status of an advisory, with the versions that are fixed. */
export function Status({ advisory }: { readonly advisory: AdvisoryJson }) {
  const event = decisiveEvent(advisory);
  if (event === undefined) return <span className="soft">{advisoryTexts.noStatus}</span>;
  const versions = versionsOf(event).join(", ");
  return (
    <>
      <TypeBadge event={event} />
      {versions !== "" && <small className="soft">{advisoryTexts.in(versions)}</small>}
    </>
  );
}

export function TypeBadge({ event }: { readonly event: AnyEvent }) {
  const type = typeOf(event);
  if (type === undefined) return null;
  return <span className={`badge ${TONES[type]}`}>{STATUSES[type]}</span>;
}

const REVIEW_TONES: Readonly<Record<keyof typeof REVIEW_STATES, string>> = {
  REVIEW_STATE_PENDING: "calm",
  REVIEW_STATE_APPROVED: "good",
  REVIEW_STATE_REQUEST_CHANGES: "plain",
  REVIEW_STATE_REJECTED: "bad",
  REVIEW_STATE_UNSPECIFIED: "plain",
};

export function ReviewBadge({ state }: { readonly state: keyof typeof REVIEW_STATES }) {
  return <span className={`badge ${REVIEW_TONES[state]}`}>{REVIEW_STATES[state]}</span>;
}

const LEVEL_TONES: Readonly<Record<SeverityLevel["level"], string>> = {
  CRITICAL: "bad",
  HIGH: "bad",
  MEDIUM: "calm",
  LOW: "plain",
  NONE: "plain",
};

export function Severity({ advisory: { severities } }: { readonly advisory: AdvisoryJson }) {
  const found = severityLevel(severities);
  if (found === undefined) return null;
  return (
    <span className={`badge ${LEVEL_TONES[found.level]}`}>
      {SEVERITIES[found.level]} {found.score.toFixed(1)}
    </span>
  );
}
