import type { DecisionJson, DecisionReviewStateJson } from "@wharf/contract/messages";
import { useAccess } from "../../../api/access.ts";
import { api, useChange } from "../../../api/client.ts";
import { useExposureRefresh } from "../../../api/exposure.ts";
import { useMe } from "../../../api/me.ts";
import { decisionTexts } from "../../../texts/decisions.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { SelectField, TextArea } from "../../../ui/fields.tsx";
import { EditDialog, FormDialog } from "../../../ui/form.tsx";
import { DecisionFields, decisionOf } from "./fields.tsx";
import { DecisionText } from "./text.tsx";

/** Actions on a decision that the caller may take. */
export function DecisionActions({ decision }: { readonly decision: DecisionJson }) {
  const { can } = useAccess();
  const me = useMe();
  const { uid = "", reviewState, author } = decision;
  const isPending = reviewState === "DECISION_REVIEW_STATE_PENDING";
  return (
    <div className="row-actions">
      {isPending &&
        can("advisories.approve", uid) &&
        (author === me ? (
          <small className="soft">{decisionTexts.mine}</small>
        ) : (
          <Review decision={decision} />
        ))}
      {can("advisories.update", uid) && <Edit decision={decision} />}
      {can("advisories.delete", uid) && <Delete decision={decision} />}
    </div>
  );
}

function Review({ decision }: { readonly decision: DecisionJson }) {
  const review = useChange(api.decisions.review);
  const refresh = useExposureRefresh();
  const { uid = "", vulnerability = "" } = decision;
  return (
    <FormDialog
      submit={decisionTexts.reviewButton}
      title={decisionTexts.reviewTitle(vulnerability)}
      className="button small"
      onSubmit={async (text) => {
        const state = text("state") as DecisionReviewStateJson;
        await review.mutateAsync({ uid, state, reason: text("reason") });
        refresh();
        return { message: decisionTexts.reviewed(state === "DECISION_REVIEW_STATE_APPROVED") };
      }}
    >
      <div className="sheet">
        <DecisionText decision={decision} />
      </div>
      <SelectField name="state" label={decisionTexts.verdict} options={decisionTexts.verdicts} />
      <TextArea name="reason" label={decisionTexts.verdictReason} rows={2} />
    </FormDialog>
  );
}

function Edit({ decision }: { readonly decision: DecisionJson }) {
  const update = useChange(api.decisions.update);
  const refresh = useExposureRefresh();
  const { uid = "", vulnerability = "" } = decision;
  return (
    <EditDialog
      trigger={decisionTexts.edit}
      title={decisionTexts.editTitle(vulnerability)}
      isSmall
      onSubmit={async (text) => {
        await update.mutateAsync({
          decision: { uid, ...decisionOf(text) },
          updateMask: "status,justification,reason,expireTime",
        });
        refresh();
        return { message: decisionTexts.updated };
      }}
    >
      <DecisionFields decision={decision} />
      <p className="soft">{decisionTexts.editText}</p>
    </EditDialog>
  );
}

function Delete({ decision }: { readonly decision: DecisionJson }) {
  const change = useChange(api.decisions.delete);
  const refresh = useExposureRefresh();
  const { uid = "", vulnerability = "" } = decision;
  return (
    <ConfirmDialog
      change={change}
      request={{ uid }}
      title={decisionTexts.deleteTitle(vulnerability)}
      message={decisionTexts.deleted}
      onDone={refresh}
      isSmall
    >
      <p>{decisionTexts.deleteText}</p>
    </ConfirmDialog>
  );
}
