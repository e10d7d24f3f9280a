import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import {
  createJsonClient,
  JSON_SERVICES,
  type JsonMethod,
  overFetch,
  WharfError,
} from "@wharf/client/json";
import { type Guess, showGuess } from "./optimistic.ts";
import { accessToken } from "./session.ts";

export { JSON_SERVICES as api };

export const client = createJsonClient({
  baseUrl: "",
  token: accessToken,
  send: overFetch((url, init) => fetch(url, init)),
});

/** Codes that another attempt may change. */
const RETRYABLE: ReadonlySet<string> = new Set(["UNAVAILABLE", "ABORTED"]);

/** A denied request means that rights have changed: what the caller may do is read again. */
const onError = (error: Error) => {
  if (!(error instanceof WharfError) || error.code !== "PERMISSION_DENIED") return;
  queries.invalidateQueries({ queryKey: [serviceOf(JSON_SERVICES.auth.validate)] });
};

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < 2 && error instanceof WharfError && RETRYABLE.has(error.code),
    },
  },
});

/** The first part of the key of all queries of a service, such as `/iam/v2beta1/groups`. */
export function serviceOf({ path }: { readonly path: string }): string {
  return path.replace(/\/?\{.*$/, "").replace(/:.*$/, "");
}

/** The response of a read, kept up to date by changes of the same service. */
export function useRead<Input, Output>(
  method: JsonMethod<Input, Output>,
  request: Input,
  options: { readonly enabled?: boolean } = {},
): UseQueryResult<Output, Error> {
  return useQuery({
    ...options,
    queryKey: [serviceOf(method), method.path, request],
    queryFn: ({ signal }) => client.call(method, request, { signal }),
    // A table keeps its rows while the next page arrives.
    placeholderData: keepPreviousData,
  });
}

/**
 * A change; afterwards, everything that was read from its service and from the others given is read again. With a guess,
 * its result is shown at once, and taken back if the server rejects the change.
 */
export function useChange<Input, Output>(
  method: JsonMethod<Input, Output>,
  affected: readonly JsonMethod<never, unknown>[] = [],
  guess?: (request: Input) => Guess | undefined,
): UseMutationResult<Output, Error, Input, () => void> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (request: Input) => client.call(method, request),
    onMutate: async (request) => {
      const guessed = guess?.(request);
      return guessed ? showGuess(cache, serviceOf(method), guessed) : () => undefined;
    },
    onError: (_error, _request, takeBack) => takeBack?.(),
    onSettled: (_response, error) => {
      if (error !== null && guess === undefined) return;
      for (const one of [method, ...affected]) {
        cache.invalidateQueries({ queryKey: [serviceOf(one)] });
      }
    },
  });
}
