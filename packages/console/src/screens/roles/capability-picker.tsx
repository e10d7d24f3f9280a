import { useId, useState } from "react";
import { useAccess } from "../../api/access.ts";
import {
  ALL_CAPABILITIES,
  byResource,
  type CapabilityGroup,
  type CapabilityKey,
} from "../../api/capabilities.ts";
import { roleTexts } from "../../texts/roles.ts";

type Chosen = ReadonlySet<CapabilityKey>;

/** The field of the form that has them. */
const FIELD = "capabilities";

/** The capabilities that were chosen in a form. */
export function chosenCapabilities(text: (name: string) => string): CapabilityKey[] {
  return text(FIELD).split(" ").filter(Boolean) as CapabilityKey[];
}

/** Chooses capabilities, by resource. What the caller does not hold cannot be granted, so it is grayed out. */
export function CapabilityPicker({
  group,
  initial,
}: {
  /** The uid of the group of the role. */
  readonly group: string;
  /** The current capabilities of the role, which may stay even if the caller lacks them. */
  readonly initial: Chosen;
}) {
  const [chosen, setChosen] = useState(initial);
  const [text, setText] = useState("");
  const { can } = useAccess();
  const id = useId();
  const wanted = text.trim().toLowerCase();
  const groups = byResource(ALL_CAPABILITIES)
    .map(({ resource, capabilities }) => ({
      resource,
      capabilities: capabilities.filter(({ name }) => name.includes(wanted)),
    }))
    .filter(({ capabilities }) => capabilities.length > 0);
  const isOffered = ({ key, name }: CapabilityGroup["capabilities"][number]) =>
    initial.has(key) || can(name, group);
  const set = (keys: readonly CapabilityKey[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const key of keys) {
      if (isChosen) next.add(key);
      else next.delete(key);
    }
    setChosen(next);
  };
  return (
    <fieldset className="field capability-picker">
      <legend>{roleTexts.capabilities(chosen.size)}</legend>
      <input type="hidden" name={FIELD} value={[...chosen].join(" ")} />
      <input
        type="search"
        aria-label={roleTexts.searchCapabilities}
        placeholder={roleTexts.searchCapabilities}
        value={text}
        onChange={({ target }) => setText(target.value)}
        // Enter would send the form.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
      <p className="hint" id={`${id}-grayed`}>
        {roleTexts.grayed}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reachable with the keyboard */}
      <section className="capability-list" aria-label={roleTexts.allCapabilities} tabIndex={0}>
        {groups.length === 0 && <p className="hint">{roleTexts.noCapability}</p>}
        {groups.map(({ resource, capabilities }) => {
          const offered = capabilities.filter(isOffered).map(({ key }) => key);
          const isAll = offered.length > 0 && offered.every((key) => chosen.has(key));
          return (
            <fieldset key={resource}>
              <legend>
                <label className="check">
                  <input
                    type="checkbox"
                    checked={isAll}
                    disabled={offered.length === 0}
                    onChange={() => set(offered, !isAll)}
                  />
                  {resource}
                </label>
              </legend>
              <div className="capability-actions">
                {capabilities.map((one) => (
                  <label key={one.key} className="check">
                    <input
                      type="checkbox"
                      checked={chosen.has(one.key)}
                      disabled={!isOffered(one)}
                      {...(!isOffered(one) && { "aria-describedby": `${id}-grayed` })}
                      onChange={({ target }) => set([one.key], target.checked)}
                    />
                    {one.name.slice(resource.length + 1) || one.name}
                  </label>
                ))}
              </div>
            </fieldset>
          );
        })}
      </section>
    </fieldset>
  );
}
