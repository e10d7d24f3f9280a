import type { AdvisoryJson, advisoriesV1 } from "@wharf/contract/messages";
import { useState } from "react";
import { api, useChange, useRead } from "../../api/client.ts";
import { parentOf } from "../../app/place.ts";
import { type EventType, eventTexts, FALSE_POSITIVES } from "../../texts/advisories.ts";
import { texts } from "../../texts/common.ts";
import { Loading } from "../../ui/feedback.tsx";
import { SelectField, TextArea, TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { toast } from "../../ui/toast.tsx";
import { linesOf } from "./advisory-dialogs.tsx";
import { contentOf } from "./event-content.tsx";
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
    <FormDialog
      title={eventTexts.add}
      submit={eventTexts.add}
      trigger={
        <>
          <Icon name="plus" />
          {eventTexts.add}
        </>
      }
      onSubmit={async (text) => {
        await create.mutateAsync({ parentId: uid, advisoryEvent: entered(text) });
        toast(eventTexts.added);
      }}
    >
      <EventFields
        event={{ componentLocationChanged: { previousLocation: componentLocation ?? "" } }}
        initial="truePositiveDetermination"
      />
    </FormDialog>
  );
}

/** Edits an event that nobody has approved or rejected; it is pending again afterwards. */
export function EditEvent({ uid }: { readonly uid: string }) {
  const update = useChange(api.advisoriesV1.updateAdvisoryEvent, [api.advisories.list]);
  const { data } = useRead(api.advisoriesV1.listAdvisoryEvents, { parentId: parentOf(uid) });
  const event = data?.items?.find(({ id }) => id === uid);
  return (
    <FormDialog
      title={eventTexts.editTitle}
      submit={texts.save}
      trigger={eventTexts.edit}
      className="button quiet small"
      onSubmit={async (text) => {
        await update.mutateAsync(edited(event ?? { id: uid }, text));
        toast(eventTexts.edited);
      }}
    >
      {event === undefined ? <Loading /> : <EventFields event={event} initial={typeOf(event)} />}
    </FormDialog>
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
  const [found, setFound] = useState(foundBy(event));
  const content = typeOf(event) === type ? contentOf(event) : {};
  return (
    <>
      <SelectField
        name="type"
        label={eventTexts.type}
        options={eventTexts.types}
        value={type}
        onChange={(next) => setType(next as EventType)}
      />
      {type === "detection" && (
        <>
          <SelectField
            name="found"
            label={eventTexts.foundBy}
            options={eventTexts.founds}
            value={found}
            onChange={(next) => setFound(next as Found)}
          />
          {DETECTION_FIELDS[found].map((name) => (
            <TextField
              key={name}
              name={name}
              label={eventTexts.detection[name]}
              value={(content.scanv1 ?? content.nvdapi)?.[name]}
            />
          ))}
        </>
      )}
      {type === "fixed" && (
        <TextField
          name="fixedVersion"
          label={eventTexts.fixedVersion}
          value={content.fixedVersion}
        />
      )}
      {type === "patched" && (
        <TextArea
          name="patchedVersions"
          label={eventTexts.patchedVersions}
          hint={eventTexts.patchedVersionsHint}
          value={content.patchedVersions?.join("\n")}
        />
      )}
      {type === "falsePositiveDetermination" && (
        <SelectField
          name="reason"
          label={eventTexts.reason}
          options={FALSE_POSITIVES}
          value={content.type}
        />
      )}
      {type === "componentLocationChanged" && (
        <>
          <TextField
            name="previousLocation"
            label={eventTexts.previousLocation}
            value={content.previousLocation}
          />
          <TextField
            name="newLocation"
            label={eventTexts.newLocation}
            value={content.newLocation}
          />
        </>
      )}
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

type Found = keyof typeof eventTexts.founds;

const DETECTION_FIELDS: Readonly<Record<Found, readonly (keyof typeof eventTexts.detection)[]>> = {
  manual: [],
  nvdapi: ["cpeSearched", "cpeFound"],
  scanv1: [
    "scanner",
    "scannerVersion",
    "subpackageName",
    "componentName",
    "componentVersion",
    "componentType",
    "componentLocation",
    "artifactVersion",
  ],
};

function foundBy({ detection }: StoredEvent): Found {
  if (detection?.scanv1 !== undefined) return "scanv1";
  return detection?.nvdapi === undefined ? "manual" : "nvdapi";
}

/** What was entered, as an event. */
function entered(text: (name: string) => string): StoredEvent {
  const type = text("type") as EventType;
  const time = Date.parse(text("time"));
  return {
    [type]: contentEntered(type, text),
    ...(text("issue") !== "" && { issue: text("issue") }),
    ...(!Number.isNaN(time) && { timestamp: new Date(time).toISOString() }),
  };
}

function contentEntered(type: EventType, text: (name: string) => string): object {
  const note = text("note");
  switch (type) {
    case "detection": {
      const found = text("found") as Found;
      return {
        [found]: Object.fromEntries(DETECTION_FIELDS[found].map((one) => [one, text(one)])),
      };
    }
    case "fixed":
      return { fixedVersion: text("fixedVersion"), note };
    case "patched":
      return { patchedVersions: linesOf(text("patchedVersions")), note };
    case "falsePositiveDetermination":
      return { type: text("reason"), note };
    case "componentLocationChanged": {
      const [previousLocation, newLocation] = [text("previousLocation"), text("newLocation")];
      return { previousLocation, newLocation, note };
    }
    default:
      return { note };
  }
}

/** A stored event with what was entered. Fields that only scanners set stay if the type does. */
function edited(stored: StoredEvent, text: (name: string) => string): StoredEvent {
  const type = text("type") as EventType;
  const { id, timestamp, findings } = stored;
  const next = entered(text);
  const former = typeOf(stored) === type ? (stored[type] as object) : {};
  const content = next[type] as object;
  const kept = type === "detection" ? content : { ...former, ...content };
  return {
    ...next,
    [type]: kept,
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
    ...(findings !== undefined && { findings }),
    status: "PENDING",
  };
}
