import { type ReactNode, useState } from "react";
import { type EventType, eventTexts, FALSE_POSITIVES } from "../../texts/advisories.ts";
import { SelectField, TextArea, TextField } from "../../ui/fields.tsx";
import type { Content } from "./event-content.tsx";
import { DETECTION_FIELDS, type Found, foundBy } from "./event-form.ts";

interface Fields {
  readonly content: Content;
}

/** The fields of the types that have others than a note. */
export const CONTENT_FIELDS: Readonly<Partial<Record<EventType, (fields: Fields) => ReactNode>>> = {
  detection: DetectionFields,
  fixed: ({ content }) => (
    <TextField name="fixedVersion" label={eventTexts.fixedVersion} value={content.fixedVersion} />
  ),
  patched: ({ content }) => (
    <TextArea
      name="patchedVersions"
      label={eventTexts.patchedVersions}
      hint={eventTexts.patchedVersionsHint}
      value={content.patchedVersions?.join("\n")}
    />
  ),
  falsePositiveDetermination: ({ content }) => (
    <SelectField
      name="reason"
      label={eventTexts.reason}
      options={FALSE_POSITIVES}
      value={content.type}
    />
  ),
  componentLocationChanged: ({ content }) => (
    <>
      <TextField
        name="previousLocation"
        label={eventTexts.previousLocation}
        value={content.previousLocation}
      />
      <TextField name="newLocation" label={eventTexts.newLocation} value={content.newLocation} />
    </>
  ),
};

/** The fields of a detection, by the program that found it. */
function DetectionFields({ content }: Fields) {
  const [found, setFound] = useState(foundBy(content));
  return (
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
  );
}
