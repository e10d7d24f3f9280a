import type { DecisionJson, DecisionReviewStateJson } from "@wharf/contract/messages";
import { useGroupNames } from "../../../api/group-names.ts";
import { parentOf } from "../../../app/location.ts";
import { decisionTexts, REVIEW_STATE_NAMES } from "../../../texts/decisions.ts";
import { Digest } from "../../../ui/digest.tsx";
import { GroupPath } from "../../../ui/group-path.tsx";
import { Age } from "../../../ui/time.tsx";
import { RepoLink } from "../../registry/repo-link.tsx";
import { StatusBadge } from "../badges.tsx";
import { justificationText } from "./summary.tsx";

/** The content and the author of a decision. */
export function DecisionText({ decision }: { readonly decision: DecisionJson }) {
  const { status, justification = "", reason, authorName, author, updateTime } = decision;
  return (
    <>
      <StatusBadge status={status} />
      {justification && <small>{justificationText(justification)}</small>}
      {reason && <small>{reason}</small>}
      <small className="soft">
        {decisionTexts.by} {authorName || author} <Age time={updateTime} />
      </small>
    </>
  );
}

/** The images that a decision applies to: those below a group, of a repository, or one. */
export function DecisionScope({ decision }: { readonly decision: DecisionJson }) {
  const { uid = "", digest = "", package: purl } = decision;
  const parent = parentOf(uid);
  const { isMissing } = useGroupNames([parent]);
  const isRepo = isMissing(parent);
  return (
    <>
      {isRepo ? <RepoLink uid={parent} /> : <GroupPath uid={parent} screen="vulnerabilities" />}
      {digest && (
        <small>
          {decisionTexts.oneImage} <Digest digest={digest} {...(isRepo && { repo: parent })} />
        </small>
      )}
      {purl && (
        <small className="soft">
          {decisionTexts.package} <code>{purl}</code>
        </small>
      )}
    </>
  );
}

const TONES: Readonly<Record<DecisionReviewStateJson, string>> = {
  DECISION_REVIEW_STATE_UNSPECIFIED: "plain",
  DECISION_REVIEW_STATE_PENDING: "calm",
  DECISION_REVIEW_STATE_APPROVED: "good",
  DECISION_REVIEW_STATE_REJECTED: "bad",
};

/** Whether a decision has effect, and who has reviewed it. */
export function DecisionState({ decision }: { readonly decision: DecisionJson }) {
  const { reviewState = "DECISION_REVIEW_STATE_UNSPECIFIED", expireTime } = decision;
  const { reviewerName, reviewer, reviewTime, reviewReason } = decision;
  const isOver = expireTime !== undefined && Date.parse(expireTime) < Date.now();
  return (
    <>
      <span className={`badge ${isOver ? "plain" : TONES[reviewState]}`}>
        {isOver ? decisionTexts.ended : REVIEW_STATE_NAMES[reviewState]}
      </span>
      {reviewTime && (
        <small className="soft">
          {decisionTexts.by} {reviewerName || reviewer} <Age time={reviewTime} />
        </small>
      )}
      {reviewReason && <small className="soft">{reviewReason}</small>}
    </>
  );
}
