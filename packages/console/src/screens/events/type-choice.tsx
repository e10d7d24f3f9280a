import type { EventTypeJson } from "@wharf/contract/messages";
import { type ReactNode, useId, useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { patternOf, resourceOf } from "../../api/event-types.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { missingCapabilities, toggled, typesByResource, unlisted } from "./type-selection.ts";

const { filter: labels } = subscriptionTexts;

interface Selection {
  readonly group: string;
  /** Names of types, and of resources as `iam.group.*`; all types if empty. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Chooses types of events, by resource. Types that the caller may not read say what is missing. */
export function TypeChoice({ group, chosen, onChange }: Selection) {
  const id = useId();
  const [text, setText] = useState("");
  const [isNarrow, setNarrow] = useState(chosen.length > 0);
  // Those that were chosen come first, and stay where they are while others are chosen.
  const [first] = useState(() => new Set(chosen.map(resourceOf)));
  const { data } = useRead(api.events.listTypes, {});
  const types = data?.eventTypes ?? [];
  const all = () => {
    setNarrow(false);
    onChange([]);
  };
  return (
    <fieldset className="types">
      <legend>{labels.types}</legend>
      <Scope name={`${id}-scope`} isChosen={!isNarrow} onChoose={all}>
        {labels.all}
      </Scope>
      <Scope name={`${id}-scope`} isChosen={isNarrow} onChoose={() => setNarrow(true)}>
        {labels.some}
        {chosen.length > 0 && <span className="badge calm">{labels.chosen(chosen.length)}</span>}
      </Scope>
      {isNarrow && (
        <>
          <input
            type="search"
            aria-label={labels.find}
            placeholder={labels.find}
            value={text}
            onChange={({ currentTarget: { value } }) => setText(value)}
          />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it with the keyboard */}
          <section className="type-list" aria-label={labels.types} tabIndex={0}>
            {unlisted(types, chosen).map((name) => (
              <Choice
                key={name}
                name={name}
                isChosen
                onToggle={() => onChange(toggled(chosen, name))}
              />
            ))}
            {typesByResource(types, text, first).map(([resource, ofIt]) => (
              <ResourceTypes
                key={resource}
                {...{ resource, group, chosen, onChange }}
                types={ofIt}
              />
            ))}
          </section>
        </>
      )}
    </fieldset>
  );
}

function Scope({
  name,
  isChosen,
  onChoose,
  children,
}: {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <label className="check">
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      {children}
    </label>
  );
}

/** The types of a resource; of several, also all at once. */
function ResourceTypes({
  resource,
  types,
  group,
  chosen,
  onChange,
}: Selection & { readonly resource: string; readonly types: readonly EventTypeJson[] }) {
  const { can } = useAccess();
  const canHere = (capability: string) => can(capability, group);
  const isSeveral = types.length > 1;
  const whole = patternOf(resource);
  const names = types.map(({ name = "" }) => name);
  return (
    <div>
      {isSeveral && (
        <Choice
          name={whole}
          isChosen={chosen.includes(whole)}
          missing={missingCapabilities(types, canHere)}
          onToggle={() => onChange(toggled(chosen, whole, names))}
        />
      )}
      <div className={isSeveral ? "inner" : undefined}>
        {types.map((type) => (
          <Choice
            key={type.name}
            name={type.name ?? ""}
            isChosen={chosen.includes(type.name ?? "") || chosen.includes(whole)}
            isImplied={chosen.includes(whole)}
            missing={missingCapabilities([type], canHere)}
            onToggle={() => onChange(toggled(chosen, type.name ?? ""))}
          />
        ))}
      </div>
    </div>
  );
}

function Choice({
  name,
  isChosen,
  isImplied = false,
  missing = [],
  onToggle,
}: {
  readonly name: string;
  readonly isChosen: boolean;
  /** Whether its whole resource is chosen. */
  readonly isImplied?: boolean;
  readonly missing?: readonly string[];
  readonly onToggle: () => void;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={isChosen}
        disabled={isImplied || (missing.length > 0 && !isChosen)}
        onChange={onToggle}
      />
      <span>
        <code>{name}</code>
        {missing.length > 0 && <small className="soft">{labels.missing(missing)}</small>}
      </span>
    </label>
  );
}
