import type { DecisionJson, DecisionReviewStateJson } from "@wharf/contract/messages";
import { api } from "../../../api/client.ts";
import { useListSearch } from "../../../app/location.ts";
import { texts } from "../../../texts/common.ts";
import { decisionTexts, REVIEW_STATE_NAMES } from "../../../texts/decisions.ts";
import { exposureTexts } from "../../../texts/exposure.ts";
import { type Chip, Chips } from "../../../ui/chips.tsx";
import { ResourceList } from "../../../ui/resource-list.tsx";
import type { Column } from "../../../ui/table.tsx";
import { Age } from "../../../ui/time.tsx";
import { VulnerabilityLink } from "../links.tsx";
import { DecisionActions } from "./review.tsx";
import { DecisionScope, DecisionState, DecisionText } from "./text.tsx";

const STATES = ["PENDING", "APPROVED", "REJECTED"] as const;

const stateOf = (name: string) => `DECISION_REVIEW_STATE_${name}` as DecisionReviewStateJson;

const CHIPS: readonly Chip[] = STATES.map((name) => ({
  name: "review",
  value: name.toLowerCase(),
  label: REVIEW_STATE_NAMES[stateOf(name)],
  isSingle: true,
}));

const COLUMNS: readonly Column<DecisionJson>[] = [
  {
    header: exposureTexts.columns.vulnerability,
    cell: ({ vulnerability }) => <VulnerabilityLink name={vulnerability} />,
  },
  {
    header: exposureTexts.columns.decision,
    cell: (decision) => <DecisionText decision={decision} />,
  },
  {
    header: decisionTexts.scopeColumn,
    cell: (decision) => <DecisionScope decision={decision} />,
  },
  {
    header: exposureTexts.columns.ends,
    cell: ({ expireTime }) => (expireTime ? <Age time={expireTime} /> : decisionTexts.never),
  },
  { header: texts.columns.state, cell: (decision) => <DecisionState decision={decision} /> },
  { header: texts.columns.actions, cell: (decision) => <DecisionActions decision={decision} /> },
];

/** Decisions at a group and below it, or about one vulnerability. */
export function Decisions({
  group,
  vulnerability,
}: {
  readonly group: string;
  readonly vulnerability?: string;
}) {
  const [{ review }] = useListSearch();
  const state = STATES.find((name) => name.toLowerCase() === review);
  return (
    <>
      <p className="lead">{decisionTexts.lead}</p>
      <Chips label={decisionTexts.state} chips={CHIPS} />
      <ResourceList
        label={exposureTexts.tabs.decisions}
        method={api.decisions.list}
        request={{
          uidp: { descendantsOf: group },
          ...(vulnerability !== undefined && { vulnerability }),
          ...(state !== undefined && { reviewState: stateOf(state) }),
        }}
        rows={({ decisions }) => decisions}
        columns={COLUMNS}
        defaultSort="update_time desc"
        emptyTitle={
          state !== undefined
            ? exposureTexts.nothing
            : vulnerability === undefined
              ? decisionTexts.empty
              : decisionTexts.noneHere
        }
        emptyText={state === undefined ? decisionTexts.emptyText : exposureTexts.nothingText}
      />
    </>
  );
}
