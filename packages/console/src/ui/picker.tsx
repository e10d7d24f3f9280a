import { Combobox } from "@base-ui/react/combobox";
import { useState } from "react";
import { texts } from "../texts/common.ts";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Chooses one of many by searching the API: it never ends at the first page. */
export function Picker({
  label,
  name,
  useChoices,
}: {
  readonly label: string;
  readonly name: string;
  /** The choices that match a text. */
  readonly useChoices: (text: string) => readonly Choice[];
}) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Choice | null>(null);
  const choices = useChoices(chosen?.label === text ? "" : text);
  return (
    <div className="field">
      <Combobox.Root
        items={choices}
        filter={null}
        value={chosen}
        onValueChange={setChosen}
        inputValue={text}
        onInputValueChange={setText}
        itemToStringLabel={(choice: Choice) => choice.label}
        isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
      >
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the input is inside */}
        <label>
          {label}
          <Combobox.Input placeholder={texts.picker.placeholder} required />
        </label>
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4}>
            <Combobox.Popup className="menu picker">
              <Combobox.Empty className="palette-empty">
                {texts.picker.nothing(text)}
              </Combobox.Empty>
              <Combobox.List>
                {(choice: Choice) => (
                  <Combobox.Item key={choice.value} value={choice} className="item">
                    <span>{choice.label}</span>
                    {choice.hint !== undefined && <small>{choice.hint}</small>}
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
