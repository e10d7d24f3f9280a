import type { DecisionJson, FindingStatusJson } from "@wharf/contract/messages";
import { useState } from "react";
import { decisionTexts, JUSTIFICATIONS } from "../../../texts/decisions.ts";
import { SelectField, TextArea, TextField } from "../../../ui/fields.tsx";
import { endOf, presetOf } from "./end.ts";

/** Fields of a decision: status, justification, reason and end. */
export function DecisionFields({ decision = {} }: { readonly decision?: DecisionJson }) {
  const [status, setStatus] = useState<string>(decision.status ?? "FINDING_STATUS_NOT_AFFECTED");
  const { preset, date } = presetOf(decision.expireTime);
  const [end, setEnd] = useState(preset);
  return (
    <>
      <SelectField
        name="status"
        label={decisionTexts.status}
        options={decisionTexts.statuses}
        value={status}
        onChange={setStatus}
      />
      {status === "FINDING_STATUS_NOT_AFFECTED" && (
        <SelectField
          name="justification"
          label={decisionTexts.justification}
          options={{ ...JUSTIFICATIONS, "": decisionTexts.noJustification }}
          value={decision.justification ?? "vulnerable_code_not_in_execute_path"}
        />
      )}
      <TextArea
        name="reason"
        label={decisionTexts.reason}
        hint={decisionTexts.reasonHint}
        value={decision.reason}
        rows={3}
      />
      <SelectField
        name="end"
        label={decisionTexts.ends}
        options={decisionTexts.presets}
        value={end}
        onChange={setEnd}
      />
      {end === "date" && (
        <TextField
          name="expireTime"
          label={decisionTexts.endDate}
          type="date"
          value={date}
          isRequired
        />
      )}
    </>
  );
}

/** The values of these fields as fields of a decision. Throws if the end is missing. */
export function decisionOf(text: (name: string) => string) {
  const status = text("status") as FindingStatusJson;
  const justification = text("justification");
  const end = endOf(text("end"), text("expireTime"), Date.now(), decisionTexts.endUnclear);
  if (status === "FINDING_STATUS_ACCEPTED" && end === undefined) {
    throw new Error(decisionTexts.endNeeded);
  }
  return {
    status,
    reason: text("reason"),
    ...(justification !== "" && { justification }),
    ...(end !== undefined && { expireTime: end }),
  };
}
