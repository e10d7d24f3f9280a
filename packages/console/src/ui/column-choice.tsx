import { useState } from "react";
import { texts } from "../texts/common.ts";
import { Disclosure } from "./disclosure.tsx";

/** The columns that a person does not want to see, by header. */
export type HiddenColumns = ReadonlySet<string>;

/** The hidden columns of a table, kept by the browser. */
export function useHiddenColumns(table: string): [HiddenColumns, (hidden: HiddenColumns) => void] {
  const key = `columns of ${table}`;
  const [hidden, setHidden] = useState(() => stored(key));
  return [
    hidden,
    (next) => {
      localStorage.setItem(key, JSON.stringify([...next]));
      setHidden(next);
    },
  ];
}

/** Whatever is stored may be of another version, or of someone who edits it. */
function stored(key: string): HiddenColumns {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return new Set(Array.isArray(value) ? value.map(String) : []);
  } catch {
    return new Set();
  }
}

/** Chooses the columns of a table; the first, which names the rows, always stays. */
export function ColumnChoice({
  columns: [, ...columns],
  hidden,
  setHidden,
}: {
  readonly columns: readonly { readonly header: string }[];
  readonly hidden: HiddenColumns;
  readonly setHidden: (hidden: HiddenColumns) => void;
}) {
  if (columns.length < 2) return null;
  const toggle = (header: string) => {
    const next = new Set(hidden);
    if (!next.delete(header)) next.add(header);
    setHidden(next);
  };
  return (
    <Disclosure
      label={texts.table.columns}
      title={texts.table.columns}
      content={texts.table.columns}
      className="button quiet small"
    >
      {columns.map(({ header }) => (
        <label key={header} className="check">
          <input type="checkbox" checked={!hidden.has(header)} onChange={() => toggle(header)} />
          {header}
        </label>
      ))}
    </Disclosure>
  );
}
