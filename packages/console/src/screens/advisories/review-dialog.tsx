import type { AdvisoryJson, advisoriesV1 } from "@wharf/contract/messages";
import { type RefObject, useEffect, useRef, useState } from "react";
import { api, client, useChange } from "../../api/client.ts";
import { useMe } from "../../api/me.ts";
import { reviewTexts } from "../../texts/advisories.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { SelectField, TextArea } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { IdentityName } from "../../ui/identity-name.tsx";
import { Age } from "../../ui/time.tsx";
import { TypeBadge } from "./badges.tsx";
import { EventContent } from "./event-content.tsx";

type StoredEvent = advisoriesV1.AdvisoryEventJson;
type Decision = keyof typeof reviewTexts.decisions;

/**
 * Reviews pending events of an advisory. What is sent is exactly what was shown: the server rejects the review of an
 * event that was changed meanwhile.
 */
export function ReviewEvents({ advisory }: { readonly advisory: AdvisoryJson }) {
  const update = useChange(api.advisoriesV1.updateAdvisoryEvent, [api.advisories.list]);
  const shown = useRef<readonly StoredEvent[]>([]);
  const { uid = "", advisoryId = "" } = advisory;
  return (
    <FormDialog
      title={reviewTexts.title(advisoryId)}
      submit={reviewTexts.review}
      className="button small"
      onSubmit={async (text) => {
        const chosen = shown.current.filter(({ id = "" }) => text(id) === "on");
        if (chosen.length === 0) throw new Error(reviewTexts.none);
        const status = text("decision") as Decision;
        const reason = text("reason");
        for (const event of chosen) {
          await update.mutateAsync({
            ...event,
            status,
            ...(reason !== "" && { reviewReason: reason }),
          });
        }
        return { message: reviewTexts.done(chosen.length) };
      }}
    >
      <Pending uid={uid} shown={shown} />
      <SelectField name="decision" label={reviewTexts.decision} options={reviewTexts.decisions} />
      <TextArea name="reason" label={reviewTexts.reason} hint={reviewTexts.reasonHint} rows={3} />
    </FormDialog>
  );
}

/** The events to review, as they are when the dialog opens. They stay as they are while it is open. */
function Pending({
  uid,
  shown,
}: {
  readonly uid: string;
  readonly shown: RefObject<readonly StoredEvent[]>;
}) {
  const me = useMe();
  const [events, setEvents] = useState<readonly StoredEvent[]>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    client.call(api.advisoriesV1.listAdvisoryEvents, { parentId: uid }).then(({ items = [] }) => {
      const pending = items.filter(({ status }) => status === "PENDING");
      shown.current = pending;
      setEvents(pending);
    }, setError);
  }, [uid, shown]);
  if (error !== undefined) return <Failed error={error} />;
  if (events === undefined) return <Loading />;
  if (events.every(({ author }) => author === me)) return <p>{reviewTexts.nothing}</p>;
  return (
    <fieldset>
      <legend>{reviewTexts.which}</legend>
      {events.map((event) => (
        <PendingEvent key={event.id} event={event} isMine={event.author === me} />
      ))}
    </fieldset>
  );
}

function PendingEvent({
  event,
  isMine,
}: {
  readonly event: StoredEvent;
  readonly isMine: boolean;
}) {
  const { id = "", timestamp, author = "" } = event;
  return (
    <div className="sheet">
      <label className="check">
        <input type="checkbox" name={id} defaultChecked={!isMine} disabled={isMine} />
        <span className="line">
          <TypeBadge event={event} />
          <span className="soft">
            <IdentityName id={author} /> <Age time={timestamp} />
          </span>
        </span>
      </label>
      {isMine && <p className="soft">{reviewTexts.mine}</p>}
      <EventContent event={event} />
    </div>
  );
}
