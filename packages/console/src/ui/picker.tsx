import { Combobox } from "@base-ui/react/combobox";
import { type UIEvent, useState } from "react";
import { useSettled } from "../api/pages.ts";
import { texts } from "../texts/common.ts";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  /** Why it cannot be chosen, where it is shown nevertheless. */
  readonly reason?: string;
}

/** What can be chosen: all of it, or pages of it, of which the next is loaded at the end of the list. */
export type Choices =
  | readonly Choice[]
  | {
      readonly choices: readonly Choice[];
      readonly hasMore: boolean;
      readonly isLoading: boolean;
      readonly more: () => unknown;
    };

/** The next page is loaded this many pixels, or choices, before the end. */
const NEAR_PIXELS = 200;
const NEAR_CHOICES = 3;

/** Chooses one of many by searching the API: it never ends at the first page. */
export function Picker({
  label,
  name,
  useChoices,
  isRequired = true,
  onChoose,
  initial = null,
}: {
  readonly label: string;
  readonly name: string;
  /** The choices that match a text. */
  readonly useChoices: (text: string) => Choices;
  readonly isRequired?: boolean;
  readonly onChoose?: (choice: Choice | null) => void;
  /** What is chosen at first. */
  readonly initial?: Choice | null;
}) {
  const [text, setText] = useState(initial?.label ?? "");
  const [chosen, setChosen] = useState<Choice | null>(initial);
  const wanted = chosen?.label === text ? "" : text.trim();
  const searched = useSettled(wanted);
  const found = useChoices(searched);
  const {
    choices: all,
    hasMore,
    isLoading,
    more,
  } = "choices" in found ? found : { ...COMPLETE, choices: found };
  // Who types fast must not choose what was found for an earlier text.
  const choices = wanted === searched ? all : all.filter((choice) => contains(choice, wanted));
  return (
    <div className="field">
      <Combobox.Root
        items={choices}
        filter={null}
        value={chosen}
        onValueChange={(next: Choice | null) => {
          setChosen(next);
          onChoose?.(next);
        }}
        inputValue={text}
        onInputValueChange={setText}
        itemToStringLabel={(choice: Choice) => choice.label}
        isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
        onItemHighlighted={(choice: Choice | undefined) => {
          const isNearEnd = choice && choices.indexOf(choice) >= choices.length - NEAR_CHOICES;
          if (isNearEnd && hasMore) more();
        }}
      >
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the input is inside */}
        <label>
          {label}
          <Combobox.Input placeholder={texts.picker.placeholder} required={isRequired} />
        </label>
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4}>
            <Combobox.Popup
              className="menu picker"
              onScroll={(event) => hasMore && isNearBottom(event) && more()}
              aria-busy={isLoading}
            >
              <Combobox.Empty className="palette-empty">
                {isLoading || wanted !== searched ? texts.loading : texts.picker.nothing(text)}
              </Combobox.Empty>
              <Combobox.List>
                {(choice: Choice) => (
                  <Combobox.Item
                    key={choice.value}
                    value={choice}
                    disabled={choice.reason !== undefined}
                    className="item"
                  >
                    <span>{choice.label}</span>
                    {(choice.reason ?? choice.hint) !== undefined && (
                      <small>{choice.reason ?? choice.hint}</small>
                    )}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      <input type="hidden" name={name} value={chosen?.value ?? ""} />
    </div>
  );
}

function contains({ label, hint = "" }: Choice, text: string): boolean {
  return `${label}\n${hint}`.toLowerCase().includes(text.toLowerCase());
}

const COMPLETE = { hasMore: false, isLoading: false, more: () => {} };

function isNearBottom({ currentTarget }: UIEvent<HTMLElement>): boolean {
  const { scrollHeight, scrollTop, clientHeight } = currentTarget;
  return scrollHeight - scrollTop - clientHeight < NEAR_PIXELS;
}
