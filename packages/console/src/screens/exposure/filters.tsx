import { useEffect, useState } from "react";
import { useSettled } from "../../api/pages.ts";
import { useListSearch } from "../../app/location.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { Chips } from "../../ui/chips.tsx";
import { CHIPS, IN_USE_CHIP } from "./model.ts";

const { filters } = exposureTexts;

/** The filters of a list of findings, as chips; those of one image need none for its use. */
export function FindingFilters({ isOneImage = false }: { readonly isOneImage?: boolean }) {
  return (
    <Chips label={filters.label} chips={isOneImage ? CHIPS : [...CHIPS, IN_USE_CHIP]}>
      <TextFilter name="package" label={filters.package} hint={filters.packageHint} />
    </Chips>
  );
}

/** A filter with a text, which applies while it is typed. */
export function TextFilter({
  name,
  label,
  hint,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}) {
  const [search, setSearch] = useListSearch();
  const applied = String(search[name] ?? "");
  const [text, setText] = useState(applied);
  const settled = useSettled(text.trim());
  // Another way to the same list brings another text.
  useEffect(() => setText(applied), [applied]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed changes the URL
  useEffect(() => {
    if (settled !== applied && settled === text.trim()) setSearch({ [name]: settled });
  }, [settled]);
  return (
    <label>
      {label}
      <input
        type="search"
        value={text}
        placeholder={hint}
        spellCheck={false}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}
