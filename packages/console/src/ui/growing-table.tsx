import type { ReactNode } from "react";
import type { Pages } from "../api/pages.ts";
import { texts } from "../texts/common.ts";
import { Failed, Loading } from "./feedback.tsx";
import { type Column, HeaderCell } from "./table.tsx";

/** Rows of a list that is read page by page, and a button for the next ones. */
export function GrowingTable<Row>({
  label,
  pages: { rows, total, error, isLoading, hasMore, more },
  columns,
  keyOf,
  empty,
  countOf,
  defaultSort = "",
}: {
  readonly label: string;
  readonly pages: Pages<Row>;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  /** The total in words, shown below the rows. */
  readonly countOf?: (total: number) => string;
  /** The order of a list whose columns sort it. */
  readonly defaultSort?: string;
}) {
  if (error !== null) return <Failed error={error} />;
  if (total === undefined) return <Loading />;
  if (rows.length === 0) return empty;
  return (
    <div className="table-frame" aria-busy={isLoading}>
      <PlainTable
        label={label}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        defaultSort={defaultSort}
      />
      {(hasMore || countOf !== undefined) && (
        <div className="pages">
          {countOf && <span>{countOf(total)}</span>}
          {hasMore && (
            <button
              type="button"
              className="button quiet small"
              disabled={isLoading}
              onClick={() => more()}
            >
              {texts.more}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** Rows that are all there. */
export function PlainTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  defaultSort = "",
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly defaultSort?: string;
}) {
  const classOf = ({ isExtra }: Column<Row>) => (isExtra ? "extra" : undefined);
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <HeaderCell key={column.header} column={column} defaultSort={defaultSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.header} data-label={column.header} className={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
