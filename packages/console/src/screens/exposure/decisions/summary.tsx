import type { FindingDecisionJson } from "@wharf/contract/messages";
import { decisionTexts, JUSTIFICATIONS, ORIGIN_NAMES } from "../../../texts/decisions.ts";
import { IdentityName } from "../../../ui/identity-name.tsx";
import { Age } from "../../../ui/time.tsx";

/** A statement about a finding: who made it, why, and until when. */
export function DecisionSummary({ decision }: { readonly decision: FindingDecisionJson }) {
  const { origin = "DECISION_ORIGIN_UNSPECIFIED", author = "", authorName } = decision;
  const { justification = "", reason, time, expireTime } = decision;
  return (
    <>
      <small>
        {ORIGIN_NAMES[origin]}{" "}
        {(authorName || author) && (
          <>
            {decisionTexts.by} {authorName || <IdentityName id={author} />}{" "}
          </>
        )}
        {time && <Age time={time} />}
      </small>
      {justification && <small>{justificationText(justification)}</small>}
      {reason && <small className="soft">{reason}</small>}
      <small className="soft">
        {expireTime ? (
          <>
            {decisionTexts.ends} <Age time={expireTime} />
          </>
        ) : (
          decisionTexts.noEnd
        )}
      </small>
    </>
  );
}

/** A justification in words; that of a document of others may be any text. */
export function justificationText(name: string): string {
  return (JUSTIFICATIONS as Readonly<Record<string, string>>)[name] ?? name;
}
