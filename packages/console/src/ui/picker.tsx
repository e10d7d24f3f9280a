import { Combobox } from "@base-ui/react/combobox";
import { type UIEvent, useState } from "react";
import { useSettled } from "../api/pages.ts";
import { texts } from "../texts/common.ts";
import { useReported } from "./form-base.tsx";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  /** The reason why it is visible but disabled. */
  readonly reason?: string;
}

/** The options: all, or pages, of which the next is loaded near the end of the list. */
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

/** A combobox that searches the API for its options. */
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
  /** The options that match a text. */
  readonly useChoices: (text: string) => Choices;
  readonly isRequired?: boolean;
  readonly onChoose?: (choice: Choice | null) => void;
  /** The initial value. */
  readonly initial?: Choice | null;
}) {
  const problem = useReported(name);
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
  // Until the search for the current text is done, options of the previous one are filtered here.
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
          <Combobox.Input
            placeholder={texts.picker.placeholder}
            required={isRequired}
            aria-invalid={problem !== undefined || undefined}
          />
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
      {problem !== undefined && <p className="problem">{problem}</p>}
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
