import type { AdvisoryJson, advisoriesV1 } from "@wharf/contract/messages";
import { useState } from "react";
import { api, useChange, useRead } from "../../api/client.ts";
import { parentOf } from "../../app/location.ts";
import { type EventType, eventTexts } from "../../texts/advisories.ts";
import { Loading } from "../../ui/feedback.tsx";
import { SelectField, TextArea, TextField } from "../../ui/fields.tsx";
import { CreateDialog, EditDialog } from "../../ui/form.tsx";
import { contentOf } from "./event-content.tsx";
import { CONTENT_FIELDS } from "./event-fields.tsx";
import { editedEvent, enteredEvent } from "./event-form.ts";
import { typeOf } from "./model.ts";

type StoredEvent = advisoriesV1.AdvisoryEventJson;

/** Adds an event, which somebody else reviews. The server checks what each type needs. */
export function AddEvent({
  advisory: { uid = "", componentLocation },
}: {
  readonly advisory: AdvisoryJson;
}) {
  const create = useChange(api.advisoriesV1.createAdvisoryEvent, [api.advisories.list]);
  return (
    <CreateDialog
      submit={eventTexts.add}
      onSubmit={async (text) => {
        await create.mutateAsync({ parentId: uid, advisoryEvent: enteredEvent(text) });
        return { message: eventTexts.added };
      }}
    >
      <EventFields
        event={{ componentLocationChanged: { previousLocation: componentLocation ?? "" } }}
        initial="truePositiveDetermination"
      />
    </CreateDialog>
  );
}

/** Edits an event that nobody has approved or rejected; it is pending again afterwards. */
export function EditEvent({ uid }: { readonly uid: string }) {
  const update = useChange(api.advisoriesV1.updateAdvisoryEvent, [api.advisories.list]);
  const { data } = useRead(api.advisoriesV1.listAdvisoryEvents, { parentId: parentOf(uid) });
  const event = data?.items?.find(({ id }) => id === uid);
  return (
    <EditDialog
      title={eventTexts.editTitle}
      trigger={eventTexts.edit}
      isSmall
      onSubmit={async (text) => {
        await update.mutateAsync(editedEvent(event ?? { id: uid }, text));
        return { message: eventTexts.edited };
      }}
    >
      {event === undefined ? <Loading /> : <EventFields event={event} initial={typeOf(event)} />}
    </EditDialog>
  );
}

/** The fields of the type that is chosen. */
function EventFields({
  event,
  initial,
}: {
  readonly event: StoredEvent;
  readonly initial: EventType | undefined;
}) {
  const [type, setType] = useState<EventType>(initial ?? "detection");
  const content = typeOf(event) === type ? contentOf(event) : {};
  const Content = CONTENT_FIELDS[type];
  return (
    <>
      <SelectField
        name="type"
        label={eventTexts.type}
        options={eventTexts.types}
        value={type}
        onChange={(next) => setType(next as EventType)}
      />
      {Content && <Content key={type} content={content} />}
      {type !== "detection" && (
        <TextArea name="note" label={eventTexts.note} value={content.note} rows={3} />
      )}
      <TextField
        name="issue"
        label={eventTexts.issue}
        hint={eventTexts.issueHint}
        value={event.issue}
      />
      {event.id === undefined && (
        <TextField
          name="time"
          label={eventTexts.time}
          hint={eventTexts.timeHint}
          type="datetime-local"
        />
      )}
    </>
  );
}
