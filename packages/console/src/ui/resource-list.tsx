import type { JsonMethod } from "@wharf/client/json";
import type { ReactNode } from "react";
import { useRead } from "../api/client.ts";
import { useListSearch } from "../app/location.ts";
import { texts } from "../texts/common.ts";
import { Empty } from "./feedback.tsx";
import { type Filter, Filters } from "./filters.tsx";
import { type Column, Table, useListRequest } from "./table.tsx";

/** The common fields of list requests and responses. */
interface PagedRequest {
  readonly pageSize?: number;
  readonly skip?: number;
  readonly orderBy?: string;
}
interface PagedResponse {
  readonly totalCount?: string;
}

/** Resources that the API lists: it filters, sorts, counts and pages them. */
export function ResourceList<
  Request extends PagedRequest,
  Response extends PagedResponse,
  Row extends { readonly uid?: string },
>({
  label,
  method,
  request,
  rows,
  columns,
  defaultSort = "name",
  filters = [],
  emptyTitle,
  emptyText,
  emptyAction,
}: {
  /** The accessible name of the table. */
  readonly label: string;
  readonly method: JsonMethod<Request, Response>;
  /** The fields of the request beyond page and order. */
  readonly request: Omit<Request, keyof PagedRequest>;
  readonly rows: (response: Response) => readonly Row[] | undefined;
  readonly columns: readonly Column<Row>[];
  readonly defaultSort?: string;
  readonly filters?: readonly Filter[];
  readonly emptyTitle: string;
  readonly emptyText: ReactNode;
  readonly emptyAction?: ReactNode;
}) {
  const page = useListRequest(defaultSort);
  const [search] = useListSearch();
  const query = useRead(method, { ...request, ...page } as unknown as Request);
  const isFiltered = filters.some(({ name }) => search[name] !== undefined);
  return (
    <>
      {filters.length > 0 && <Filters filters={filters} />}
      <Table
        label={label}
        query={query}
        list={{
          rows: query.data && rows(query.data),
          total: Number(query.data?.totalCount ?? 0),
        }}
        columns={columns}
        keyOf={({ uid = "" }) => uid}
        defaultSort={defaultSort}
        empty={
          isFiltered ? (
            <NothingMatches />
          ) : (
            <Empty title={emptyTitle} action={emptyAction}>
              {emptyText}
            </Empty>
          )
        }
      />
    </>
  );
}

function NothingMatches() {
  return <Empty title={texts.filters.nothing}>{texts.filters.nothingText}</Empty>;
}
