import type { EventFilterJson } from "@wharf/contract/messages";
import { useId, useState } from "react";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { Picker } from "../../ui/picker.tsx";
import { useIdentityChoices } from "../../ui/pickers.tsx";
import { type BuiltFilter, filtersText, fromFilters, toFilters } from "./filter.ts";
import { useIdentityNames } from "./names.tsx";
import { TypeChoice } from "./type-choice.tsx";

const { filter: labels } = subscriptionTexts;

/** Builds the filters of a subscription: from types, actor and subject, or as JSON. */
export function FilterBuilder({
  group,
  initial,
  onChange,
}: {
  readonly group: string;
  readonly initial: readonly EventFilterJson[];
  /** Undefined while what was entered is not valid. */
  readonly onChange: (filters: readonly EventFilterJson[] | undefined) => void;
}) {
  const id = useId();
  const [built, setBuilt] = useState<BuiltFilter | undefined>(() => fromFilters(initial));
  const [json, setJson] = useState(() => filtersText(initial));
  const actor = built?.actor ?? "";
  const actorName = useIdentityNames([actor]).get(actor) || actor;
  const change = (next: BuiltFilter) => {
    setBuilt(next);
    onChange(toFilters(next));
  };
  const changeJson = (text: string) => {
    setJson(text);
    onChange(parsed(text));
  };
  if (built === undefined) {
    const filters = parsed(json);
    const buildable = filters && fromFilters(filters);
    return (
      <div className="field">
        <label htmlFor={id}>{labels.json}</label>
        <textarea
          id={id}
          className="json-text"
          rows={12}
          spellCheck={false}
          value={json}
          aria-describedby={`${id}-hint`}
          aria-invalid={filters === undefined}
          onChange={({ currentTarget: { value } }) => changeJson(value)}
        />
        <p id={`${id}-hint`} className="hint">
          {filters === undefined
            ? labels.invalid
            : `${labels.jsonHint} ${buildable === undefined ? labels.notBuilt : ""}`}
        </p>
        {buildable !== undefined && (
          <div>
            <button
              type="button"
              className="button quiet small"
              onClick={() => setBuilt(buildable)}
            >
              {labels.builder}
            </button>
          </div>
        )}
      </div>
    );
  }
  return (
    <>
      <TypeChoice
        group={group}
        chosen={built.types}
        onChange={(types) => change({ ...built, types })}
      />
      <Picker
        label={labels.actor}
        name="actor"
        useChoices={useIdentityChoices}
        isRequired={false}
        initial={built.actor === "" ? null : { value: built.actor, label: actorName }}
        onChoose={(choice) => change({ ...built, actor: choice?.value ?? "" })}
      />
      <div className="field">
        <label htmlFor={`${id}-subject`}>{labels.subject}</label>
        <input
          id={`${id}-subject`}
          value={built.subject}
          placeholder={labels.subjectHint}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget: { value } }) => change({ ...built, subject: value.trim() })}
        />
      </div>
      {built.subject !== "" && (
        <label className="check">
          <input
            type="checkbox"
            checked={built.isBelow}
            onChange={({ currentTarget: { checked } }) => change({ ...built, isBelow: checked })}
          />
          {labels.below}
        </label>
      )}
      <div>
        <button
          type="button"
          className="button quiet small"
          onClick={() => {
            setJson(filtersText(toFilters(built)));
            setBuilt(undefined);
          }}
        >
          {labels.json}
        </button>
      </div>
    </>
  );
}

/** Filters that a person wrote; undefined if they are none. The server checks the rest. */
function parsed(text: string): EventFilterJson[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isList =
      Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
    return isList ? (value as EventFilterJson[]) : undefined;
  } catch {
    return undefined;
  }
}
