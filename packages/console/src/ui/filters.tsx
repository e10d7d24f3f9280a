import { useEffect, useRef } from "react";
import { useListSearch } from "../app/location.ts";
import { texts } from "../texts/common.ts";

/** A filter of a list, under its name in the URL. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** Labels by value; a text field without them. */
  readonly options?: Readonly<Record<string, string>>;
  /** The label of no value; "all" by default. */
  readonly all?: string;
  readonly type?: "text" | "date" | "datetime-local";
  /** Rarely needed: shown on demand, or if it is set. */
  readonly isExtra?: boolean;
}

/** The filters of a list, whose values are stored in the URL only. */
export function Filters({ filters }: { readonly filters: readonly Filter[] }) {
  const [search, setSearch] = useListSearch();
  const form = useRef<HTMLFormElement>(null);
  const values = JSON.stringify(filters.map(({ name }) => [name, search[name] ?? ""]));
  // The fields are as the URL says also after it was changed from elsewhere, and stay the same fields: one has the focus.
  useEffect(() => {
    for (const [name, value] of JSON.parse(values) as [string, string | number][]) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
        field.value = String(value);
      }
    }
  }, [values]);
  const isFiltered = filters.some(({ name }) => search[name] !== undefined);
  const apply = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = ({ name }: Filter) => String(data.get(name) ?? "").trim();
    setSearch(Object.fromEntries(filters.map((one) => [one.name, text(one)])));
  };
  const fields = (some: readonly Filter[]) =>
    some.map((one) => (
      <FilterField key={one.name} filter={one} value={search[one.name]} onChoose={apply} />
    ));
  const extra = filters.filter(({ isExtra }) => isExtra);
  return (
    <search>
      <form
        ref={form}
        className="filters"
        aria-label={texts.filters.title}
        onSubmit={(event) => {
          event.preventDefault();
          apply(event.currentTarget);
        }}
      >
        {fields(filters.filter(({ isExtra }) => !isExtra))}
        <button type="submit" className="button">
          {texts.filters.apply}
        </button>
        {isFiltered && (
          <button
            type="button"
            className="button quiet"
            onClick={() => setSearch(Object.fromEntries(filters.map(({ name }) => [name, ""])))}
          >
            {texts.filters.clear}
          </button>
        )}
        {extra.length > 0 && (
          <details open={extra.some(({ name }) => search[name] !== undefined)}>
            <summary>{texts.filters.more}</summary>
            <div className="filters">{fields(extra)}</div>
          </details>
        )}
      </form>
    </search>
  );
}

function FilterField({
  filter: { name, label, hint, options, all = texts.filters.all, type = "text" },
  value = "",
  onChoose,
}: {
  readonly filter: Filter;
  readonly value: string | number | undefined;
  readonly onChoose: (form: HTMLFormElement) => void;
}) {
  if (options === undefined) {
    return (
      <label>
        {label}
        <input name={name} type={type} defaultValue={value} placeholder={hint} spellCheck={false} />
      </label>
    );
  }
  return (
    <label>
      {label}
      <select
        name={name}
        defaultValue={value}
        onChange={({ currentTarget: { form } }) => form && onChoose(form)}
      >
        <option value="">{all}</option>
        {Object.entries(options).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
