import type { AdvisoryEventJson, AdvisoryJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { useMe } from "../../api/me.ts";
import { useScreenLocation } from "../../app/location.ts";
import { advisoryTexts } from "../../texts/advisories.ts";
import { texts } from "../../texts/common.ts";
import { Facts } from "../../ui/facts.tsx";
import { FailedPage } from "../../ui/failed-page.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { IdentityName } from "../../ui/identity-name.tsx";
import { Page } from "../../ui/page.tsx";
import { Age } from "../../ui/time.tsx";
import { DeleteAdvisory, EditAdvisory } from "./advisory-dialogs.tsx";
import { ReviewBadge, Severity, Status, TypeBadge } from "./badges.tsx";
import { EventContent } from "./event-content.tsx";
import { AddEvent, EditEvent } from "./event-editor.tsx";
import { pendingEvents, timeOf } from "./model.ts";
import { ReviewEvents } from "./review-dialog.tsx";

const { fields } = advisoryTexts;

/** One advisory as the history of its events. */
export function Screen() {
  const { uid: group, resource: uid } = useScreenLocation();
  const { data, error } = useRead(api.advisories.get, { uid });
  const { can } = useAccess();
  if (error !== null) return <FailedPage error={error} group={group} />;
  if (data === undefined) return <Loading />;
  const isDeleted = data.deleteTime !== undefined;
  return (
    <Page
      title={data.advisoryId ?? ""}
      group={group}
      command={{
        cli: `wharf advisories describe ${uid}`,
        rest: `/vulnerabilities/v2beta1/advisories/${uid}`,
      }}
      actions={
        !isDeleted && (
          <>
            {can("advisories.update", uid) && <EditAdvisory advisory={data} />}
            {can("advisories.delete", uid) && <DeleteAdvisory advisory={data} />}
            {can("advisories.create", uid) && <AddEvent advisory={data} />}
          </>
        )
      }
    >
      <About advisory={data} />
      <section aria-labelledby="events">
        <h2 id="events">{advisoryTexts.events}</h2>
        <p className="soft">{advisoryTexts.eventsText}</p>
        <Events advisory={data} />
      </section>
    </Page>
  );
}

function About({ advisory }: { readonly advisory: AdvisoryJson }) {
  const { aliases = [], severities = [], source, deleteTime } = advisory;
  const record = (source?.osv as { readonly id?: string } | undefined)?.id;
  return (
    <Facts
      facts={{
        [texts.columns.status]: <Status advisory={advisory} />,
        [texts.columns.severity]: severities.length > 0 && <Severity advisory={advisory} />,
        [fields.aliases]: aliases.length > 0 && aliases.join(", "),
        [fields.artifactName]: advisory.artifactName,
        [fields.artifactType]: advisory.artifactType,
        [fields.artifactArchitecture]: advisory.artifactArchitecture,
        [fields.componentName]: advisory.componentName,
        [fields.componentType]: advisory.componentType,
        [fields.componentLocation]: advisory.componentLocation && (
          <code>{advisory.componentLocation}</code>
        ),
        [fields.severities]: severities.length > 0 && (
          <ul>
            {severities.map(({ type, score }) => (
              <li key={`${type} ${score}`}>
                <code>{score}</code>
              </li>
            ))}
          </ul>
        ),
        [fields.legacyAdvisoryId]: advisory.legacyAdvisoryId,
        [fields.source]: record && (
          <>
            {record}
            {source?.inEffect && <small className="soft">{fields.sourceInEffect}</small>}
          </>
        ),
        [texts.columns.author]: advisory.author && <IdentityName id={advisory.author} />,
        [texts.columns.created]: <Age time={advisory.createTime} />,
        [texts.columns.updated]: <Age time={advisory.updateTime} />,
        [advisoryTexts.deletedBadge]: deleteTime && <Age time={deleteTime} />,
      }}
    />
  );
}

function Events({ advisory }: { readonly advisory: AdvisoryJson }) {
  const { can } = useAccess();
  const me = useMe();
  const { uid = "", events = [] } = advisory;
  if (events.length === 0) return <p className="soft">{advisoryTexts.noEvents}</p>;
  const newestFirst = events.toSorted((one, other) => timeOf(other) - timeOf(one));
  const mayReview =
    can("advisories.approve", uid) && pendingEvents(advisory).some(({ author }) => author !== me);
  return (
    <div className="sheet">
      {mayReview && (
        <div>
          <ReviewEvents advisory={advisory} />
        </div>
      )}
      <ol className="timeline">
        {newestFirst.map((event) => (
          <li
            key={event.uid}
            className={event.reviewState === "REVIEW_STATE_APPROVED" ? "current" : undefined}
          >
            <Event event={event} isEditable={can("advisories.update", uid)} />
          </li>
        ))}
      </ol>
    </div>
  );
}

const EDITABLE: ReadonlySet<string> = new Set([
  "REVIEW_STATE_PENDING",
  "REVIEW_STATE_REQUEST_CHANGES",
]);

function Event({
  event,
  isEditable,
}: {
  readonly event: AdvisoryEventJson;
  readonly isEditable: boolean;
}) {
  const { uid = "", createTime, author = "", reviewState = "REVIEW_STATE_UNSPECIFIED" } = event;
  return (
    <article className="event">
      <p className="line">
        <TypeBadge event={event} />
        <ReviewBadge state={reviewState} />
        <span className="soft">
          <Age time={createTime} /> {advisoryTexts.by} <IdentityName id={author} />
        </span>
        {isEditable && EDITABLE.has(reviewState) && <EditEvent uid={uid} />}
      </p>
      <EventContent event={event} />
      <Decisions event={event} />
    </article>
  );
}

/** The review of an event: reviewer, decision, reason. */
function Decisions({ event: { reviews = [] } }: { readonly event: AdvisoryEventJson }) {
  return (
    <ul aria-label={advisoryTexts.decisions}>
      {reviews.map(({ reviewer = "", state = "REVIEW_STATE_UNSPECIFIED", reason, time }) => (
        <li key={`${time} ${state}`} className="line soft">
          <ReviewBadge state={state} />
          <span>
            {advisoryTexts.reviewedBy} <IdentityName id={reviewer} /> <Age time={time} />
            {reason && `: ${reason}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
