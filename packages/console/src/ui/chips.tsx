import type { ReactNode } from "react";
import { useListSearch } from "../app/location.ts";
import { texts } from "../texts/common.ts";
import { chosenValues, toggledValue } from "./chip-values.ts";

/** A filter that is on or off: a value under its name in the URL. */
export interface Chip {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  /** Whether the name has one value at a time; by default, any of several. */
  readonly isSingle?: boolean;
}

/** Filters of a list as buttons, stored in the URL; `children` are further fields. */
export function Chips({
  label,
  chips,
  children,
}: {
  readonly label: string;
  readonly chips: readonly Chip[];
  readonly children?: ReactNode;
}) {
  const [search, setSearch] = useListSearch();
  const names = [...new Set(chips.map(({ name }) => name))];
  const isFiltered = names.some((name) => search[name] !== undefined);
  return (
    <search className="chips" aria-label={label}>
      {chips.map((chip) => {
        const { name, value } = chip;
        return (
          <button
            key={`${name} ${value}`}
            type="button"
            className="chip"
            aria-pressed={chosenValues(search[name]).includes(value)}
            onClick={() => setSearch({ [name]: toggledValue(search[name], value, chip.isSingle) })}
          >
            {chip.label}
          </button>
        );
      })}
      {children}
      {isFiltered && (
        <button
          type="button"
          className="button quiet small"
          onClick={() => setSearch(Object.fromEntries(names.map((name) => [name, ""])))}
        >
          {texts.filters.clear}
        </button>
      )}
    </search>
  );
}
