import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { JsonMethod } from "@wharf/client/json";
import { useEffect, useState } from "react";
import { client, serviceOf } from "./client.ts";

/** Fields of requests and responses of lists with page tokens. */
interface Continued {
  readonly pageSize?: number;
  readonly pageToken?: string;
}
interface Page {
  readonly nextPageToken?: string;
  readonly totalCount?: string;
}

/** The first pages of a list, and the way to the next one. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  /** The rows of all pages; undefined until the first arrives. */
  readonly total: number | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** Loads the next page. */
  readonly more: () => Promise<unknown>;
}

/** A list that is read page by page, and only those pages that are asked for. */
export function usePages<Request extends Continued, Response extends Page, Row>(
  method: JsonMethod<Request, Response>,
  request: Request,
  rows: (response: Response) => readonly Row[] | undefined,
  { enabled = true } = {},
): Pages<Row> {
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    enabled,
    queryKey: [serviceOf(method as JsonMethod<never, unknown>), method.path, "pages", request],
    queryFn: ({ pageParam, signal }) =>
      client.call(method, { ...request, ...(pageParam && { pageToken: pageParam }) }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    placeholderData: keepPreviousData,
  });
  const pages = enabled ? (data?.pages ?? []) : [];
  const [first] = pages;
  return {
    rows: pages.flatMap((page) => rows(page) ?? []),
    total: first && Number(first.totalCount ?? 0),
    error,
    isLoading: isFetching,
    hasMore: enabled && hasNextPage,
    more: () => (isFetching ? Promise.resolve() : fetchNextPage()),
  };
}

/** Debounce delay of searches. */
const PAUSE_MS = 150;

/** A debounced text: not every letter is a request. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
