import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useListSearch } from "../app/location.ts";
import { texts } from "../texts/common.ts";
import { ColumnChoice, useHiddenColumns } from "./column-choice.tsx";
import { Failed, Loading } from "./feedback.tsx";
import { Icon } from "./icons.tsx";

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** The field of `order_by`, if the API sorts by it. */
  readonly sort?: string;
  /** Shown on wide screens only. */
  readonly isExtra?: boolean;
}

/** The rows of a list and their total. */
export interface Listed<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly total: number | undefined;
}

/** The rows of a page. The server counts, sorts and pages; nothing is loaded beyond what is shown. */
export const PAGE_SIZE = 50;

/** The fields of a list request that follow from the URL. */
export function useListRequest(defaultSort: string): {
  pageSize: number;
  skip: number;
  orderBy?: string;
} {
  const [search] = useListSearch();
  const page = search.page ?? 1;
  // A list in an order of its own has none to ask for.
  if (defaultSort === "") return { pageSize: PAGE_SIZE, skip: (page - 1) * PAGE_SIZE };
  return {
    pageSize: PAGE_SIZE,
    skip: (page - 1) * PAGE_SIZE,
    orderBy: search.sort ?? defaultSort,
  };
}

/** The fields of a list request that is paged by cursors, which are in the URL. */
export function useCursorRequest(): { pageSize: number; pageToken?: string } {
  const [{ cursor }] = useListSearch();
  return { pageSize: PAGE_SIZE, ...(cursor !== undefined && { pageToken: String(cursor) }) };
}

export function Table<Row>({
  label,
  query,
  list,
  columns,
  keyOf,
  defaultSort = "",
  empty,
  older,
}: {
  readonly label: string;
  readonly query: UseQueryResult<unknown, Error>;
  readonly list: Listed<Row>;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly defaultSort?: string;
  readonly empty: ReactNode;
  /** The cursor of the next page, empty on the last, of a list that cannot skip rows. */
  readonly older?: string | undefined;
}) {
  const [hidden, setHidden] = useHiddenColumns(label);
  if (query.error !== null) return <Failed error={query.error} />;
  if (query.data === undefined) return <Loading />;
  const rows = list.rows ?? [];
  if (rows.length === 0 && (list.total ?? 0) === 0) return empty;
  const shown = columns.filter(({ header }) => !hidden.has(header));
  return (
    <div className="table-frame" aria-busy={query.isPlaceholderData}>
      <table aria-label={label}>
        <thead>
          <tr>
            {shown.map((column) => (
              <HeaderCell key={column.header} column={column} defaultSort={defaultSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {shown.map(({ header, cell, isExtra }) => (
                <td key={header} data-label={header} className={isExtra ? "extra" : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Pages count={rows.length} total={list.total} older={older}>
        <ColumnChoice columns={columns} hidden={hidden} setHidden={setHidden} />
      </Pages>
    </div>
  );
}

/** The header of a column; a button that sorts by it, if the API does. */
export function HeaderCell<Row>({
  column: { header, sort, isExtra },
  defaultSort,
}: {
  readonly column: Column<Row>;
  readonly defaultSort: string;
}) {
  const [search, setSearch] = useListSearch();
  const className = isExtra ? "extra" : undefined;
  if (sort === undefined)
    return (
      <th scope="col" className={className}>
        {header}
      </th>
    );
  const [field, direction] = (search.sort ?? defaultSort).split(" ");
  const isSorted = field === sort;
  const isDescending = direction === "desc";
  const next = isSorted && !isDescending ? `${sort} desc` : sort;
  const sorted = isDescending ? "descending" : "ascending";
  return (
    <th scope="col" className={className} aria-sort={isSorted ? sorted : "none"}>
      <button type="button" className="sort" onClick={() => setSearch({ sort: next })}>
        {header}
        <Icon name="sort" />
      </button>
    </th>
  );
}

function Pages({
  count,
  total,
  older,
  children,
}: {
  readonly count: number;
  readonly total: number | undefined;
  readonly older: string | undefined;
  readonly children: ReactNode;
}) {
  const [search, setSearch] = useListSearch();
  if (older !== undefined) {
    return (
      <nav className="pages" aria-label={texts.table.pages}>
        <span>{texts.table.counted(count, total ?? count)}</span>
        {children}
        <Turn
          isPossible={search.cursor !== undefined}
          turn={() => setSearch({ cursor: undefined })}
        >
          {texts.table.newest}
        </Turn>
        <Turn isPossible={older !== ""} turn={() => setSearch({ cursor: older })}>
          {texts.table.older}
        </Turn>
      </nav>
    );
  }
  const page = search.page ?? 1;
  const first = (page - 1) * PAGE_SIZE + 1;
  const last = first + count - 1;
  const hasMore = total === undefined ? count === PAGE_SIZE : last < total;
  return (
    <nav className="pages" aria-label={texts.table.pages}>
      <span>{texts.table.range(first, last, total)}</span>
      {children}
      <Turn isPossible={page > 1} turn={() => setSearch({ page: page > 2 ? page - 1 : undefined })}>
        {texts.table.previous}
      </Turn>
      <Turn isPossible={hasMore} turn={() => setSearch({ page: page + 1 })}>
        {texts.table.next}
      </Turn>
    </nav>
  );
}

/** A button that turns the page. On the last page it still has the focus that it was pressed with. */
function Turn({
  isPossible,
  turn,
  children,
}: {
  readonly isPossible: boolean;
  readonly turn: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="button quiet small"
      aria-disabled={!isPossible}
      onClick={() => isPossible && turn()}
    >
      {children}
    </button>
  );
}
