import type { EventTypeJson } from "@wharf/contract/messages";
import { useId, useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { resourceOf } from "../../api/live.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";

const { filter: labels } = subscriptionTexts;

/** Chooses types of events, by resource. Types that the caller may not read say what is missing. */
export function TypeChoice({
  group,
  chosen,
  onChange,
}: {
  readonly group: string;
  /** Names of types, and of resources as `iam.group.*`; all types if empty. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const id = useId();
  const [text, setText] = useState("");
  const [isNarrow, setNarrow] = useState(chosen.length > 0);
  const { data } = useRead(api.events.listTypes, {});
  const { can } = useAccess();
  const missing = (of: readonly EventTypeJson[]) => [
    ...new Set(
      of.flatMap(({ capabilities = [] }) => capabilities.filter((one) => !can(one, group))),
    ),
  ];
  const types = data?.eventTypes ?? [];
  const wanted = text.trim().toLowerCase();
  const found = types.filter(({ name = "" }) => name.toLowerCase().includes(wanted));
  // Those that were chosen come first, and stay where they are while others are chosen.
  const [first] = useState(() => new Set(chosen.map(resourceOf)));
  const resources = [...Map.groupBy(found, ({ name = "" }) => resourceOf(name))].sort(
    ([one], [other]) => Number(first.has(other)) - Number(first.has(one)),
  );
  const known = new Set(types.flatMap(({ name = "" }) => [name, `${resourceOf(name)}.*`]));
  // Patterns that the list does not have, such as those of the command line.
  const others = chosen.filter((one) => types.length > 0 && !known.has(one));
  const toggle = (name: string, without: readonly string[] = []) =>
    onChange(
      chosen.includes(name)
        ? chosen.filter((one) => one !== name)
        : [...chosen.filter((one) => !without.includes(one)), name],
    );
  return (
    <fieldset className="types">
      <legend>{labels.types}</legend>
      <label className="check">
        <input
          type="radio"
          name={`${id}-scope`}
          checked={!isNarrow}
          onChange={() => {
            setNarrow(false);
            onChange([]);
          }}
        />
        {labels.all}
      </label>
      <label className="check">
        <input
          type="radio"
          name={`${id}-scope`}
          checked={isNarrow}
          onChange={() => setNarrow(true)}
        />
        {labels.some}
        {chosen.length > 0 && <span className="badge calm">{labels.chosen(chosen.length)}</span>}
      </label>
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
            {others.map((name) => (
              <Choice key={name} name={name} isChosen onToggle={() => toggle(name)} />
            ))}
            {resources.map(([resource, ofIt]) => {
              const whole = `${resource}.*`;
              const names = ofIt.map(({ name = "" }) => name);
              return (
                <div key={resource}>
                  {ofIt.length > 1 && (
                    <Choice
                      name={whole}
                      isChosen={chosen.includes(whole)}
                      missing={missing(ofIt)}
                      onToggle={() => toggle(whole, names)}
                    />
                  )}
                  <div className={ofIt.length > 1 ? "inner" : undefined}>
                    {ofIt.map((type) => (
                      <Choice
                        key={type.name}
                        name={type.name ?? ""}
                        isChosen={chosen.includes(type.name ?? "") || chosen.includes(whole)}
                        isImplied={chosen.includes(whole)}
                        missing={missing([type])}
                        onToggle={() => toggle(type.name ?? "")}
                      />
                    ))}
                  </div>
                </div>
              );
            })}
          </section>
        </>
      )}
    </fieldset>
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
