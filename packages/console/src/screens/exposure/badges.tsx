import type { FindingSeverityJson, FindingStatusJson } from "@wharf/contract/messages";
import { exposureTexts, SEVERITY_NAMES, STATUS_NAMES } from "../../texts/exposure.ts";

export const SEVERITY_TONES: Readonly<Record<FindingSeverityJson, string>> = {
  FINDING_SEVERITY_CRITICAL: "critical",
  FINDING_SEVERITY_HIGH: "bad",
  FINDING_SEVERITY_MEDIUM: "warn",
  FINDING_SEVERITY_LOW: "calm",
  FINDING_SEVERITY_NEGLIGIBLE: "plain",
  FINDING_SEVERITY_UNSPECIFIED: "plain",
};

export function SeverityBadge({
  severity = "FINDING_SEVERITY_UNSPECIFIED",
}: {
  readonly severity?: FindingSeverityJson | undefined;
}) {
  return <span className={`badge ${SEVERITY_TONES[severity]}`}>{SEVERITY_NAMES[severity]}</span>;
}

const STATUS_TONES: Readonly<Record<FindingStatusJson, string>> = {
  FINDING_STATUS_AFFECTED: "bad",
  FINDING_STATUS_UNKNOWN: "warn",
  FINDING_STATUS_NOT_AFFECTED: "good",
  FINDING_STATUS_FIXED: "good",
  FINDING_STATUS_ACCEPTED: "calm",
  FINDING_STATUS_UNSPECIFIED: "plain",
};

export function StatusBadge({
  status = "FINDING_STATUS_UNSPECIFIED",
}: {
  readonly status?: FindingStatusJson | undefined;
}) {
  return <span className={`badge ${STATUS_TONES[status]}`}>{STATUS_NAMES[status]}</span>;
}

/** Facts about the risk of a vulnerability: exploited, likely to be. */
export function RiskBadges({
  exploited = false,
  probability = 0,
}: {
  readonly exploited?: boolean | undefined;
  readonly probability?: number | "NaN" | "Infinity" | "-Infinity" | undefined;
}) {
  return (
    <>
      {exploited && (
        <span className="badge critical" title={exposureTexts.exploitedTitle}>
          {exposureTexts.exploited}
        </span>
      )}
      {Number(probability) > 0 && (
        <span className="badge plain" title={exposureTexts.likelihoodTitle}>
          {exposureTexts.likelihood(Number(probability))}
        </span>
      )}
    </>
  );
}

export function InUseBadge({ inUse = false }: { readonly inUse?: boolean | undefined }) {
  if (!inUse) return null;
  return (
    <span className="badge calm" title={exposureTexts.inUseTitle}>
      {exposureTexts.inUse}
    </span>
  );
}
