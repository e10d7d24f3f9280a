import { type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { JsonMethod } from "@wharf/client/json";
import { client, serviceOf } from "./client.ts";

interface Continued {
  readonly nextPageToken?: string;
}

/** A list that grows with each page that is asked for, of a method that has page tokens only. */
export function useReadMore<Input extends { pageToken?: string }, Output extends Continued>(
  method: JsonMethod<Input, Output>,
  request: Input,
  options: { readonly enabled?: boolean } = {},
): UseInfiniteQueryResult<readonly Output[], Error> {
  return useInfiniteQuery({
    ...options,
    queryKey: [serviceOf(method), "more", method.path, request],
    queryFn: ({ pageParam: pageToken, signal }) =>
      client.call(method, { ...request, pageToken }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    select: ({ pages }) => pages,
  });
}
