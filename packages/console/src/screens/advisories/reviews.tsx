import type { AdvisoryJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { useMe } from "../../api/me.ts";
import { advisoryTexts, reviewTexts } from "../../texts/advisories.ts";
import { texts } from "../../texts/common.ts";
import { Described } from "../../ui/described.tsx";
import { IdentityName } from "../../ui/identity-name.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { ADVISORY_ID } from "./advisory-id.tsx";
import { TypeBadge } from "./badges.tsx";
import { pendingEvents, versionsOf } from "./model.ts";
import { ReviewEvents } from "./review-dialog.tsx";

const COLUMNS: readonly Column<AdvisoryJson>[] = [
  ADVISORY_ID,
  {
    header: texts.columns.package,
    cell: ({ artifactName, artifactType }) => (
      <Described text={artifactType}>{artifactName}</Described>
    ),
  },
  { header: reviewTexts.events, cell: (advisory) => <Pending advisory={advisory} /> },
  { header: texts.columns.actions, cell: (advisory) => <Action advisory={advisory} /> },
];

/** Advisories with events that wait for a second person. */
export function Reviews({ group }: { readonly group: string }) {
  const { can, isKnown } = useAccess();
  return (
    <>
      <p className="lead">{reviewTexts.lead}</p>
      {isKnown && !can("advisories.approve", group) && <p>{reviewTexts.denied}</p>}
      <ResourceList
        label={advisoryTexts.tabs.reviews}
        method={api.advisories.list}
        request={{
          uidp: { descendantsOf: group },
          eventReviewStates: ["REVIEW_STATE_PENDING"],
        }}
        rows={({ advisories }) => advisories}
        columns={COLUMNS}
        defaultSort="update_time desc"
        emptyTitle={reviewTexts.empty}
        emptyText={reviewTexts.emptyText}
      />
    </>
  );
}

function Pending({ advisory }: { readonly advisory: AdvisoryJson }) {
  const me = useMe();
  return (
    <ul>
      {pendingEvents(advisory).map((event) => (
        <li key={event.uid} className="line">
          <TypeBadge event={event} />
          <span>{versionsOf(event).join(", ")}</span>
          <span className="soft">
            {event.author === me ? advisoryTexts.you : <IdentityName id={event.author ?? ""} />}{" "}
            <Age time={event.createTime} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Action({ advisory }: { readonly advisory: AdvisoryJson }) {
  const me = useMe();
  const { can } = useAccess();
  if (!can("advisories.approve", advisory.uid ?? "")) return null;
  if (pendingEvents(advisory).every(({ author }) => author === me)) {
    return <small className="soft">{reviewTexts.mine}</small>;
  }
  return <ReviewEvents advisory={advisory} />;
}
