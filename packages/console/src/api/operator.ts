import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import {
  JSON_SERVICES as api,
  createJsonClient,
  type JsonMethod,
  overFetch,
  WharfError,
} from "@wharf/client/json";
import { useSyncExternalStore } from "react";

/**
 * The token of the operator, which `wharf admin token` prints and a person pastes. It is in the memory of this page
 * only, and forgotten with it.
 */
let token: string | undefined;
const listeners = new Set<() => void>();

function set(next: string | undefined): void {
  token = next;
  for (const listener of listeners) listener();
}

const client = createJsonClient({
  baseUrl: "",
  async token(rejected) {
    // There is no second token: an expired one has to be entered again.
    if (rejected !== undefined) set(undefined);
    return token ?? rejected ?? "";
  },
  send: overFetch((url, init) => fetch(url, init)),
});

/** Whether there is a token of the operator. */
export function useIsOperator(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => token !== undefined,
  );
}

/** Takes a token if it is the operator's. Rejects with the reason otherwise. */
export async function enterOperatorToken(text: string): Promise<void> {
  token = text;
  try {
    await client.call(api.installation.getStatus, {});
    set(text);
  } catch (error) {
    set(undefined);
    throw error;
  }
}

export function forgetOperatorToken(): void {
  set(undefined);
}

const KEY = "operator";

/** The response of a read that only the operator may do. */
export function useOperatorRead<Input, Output>(
  method: JsonMethod<Input, Output>,
  request: Input,
  /** After how many milliseconds to read again, where nothing announces a change; false for never. */
  readAgain: (response: Output | undefined) => number | false = () => false,
): UseQueryResult<Output, Error> {
  const enabled = useIsOperator();
  return useQuery({
    enabled,
    refetchInterval: ({ state }) => readAgain(state.data as Output | undefined),
    queryKey: [KEY, method.path, request],
    queryFn: ({ signal }) => client.call(method, request, { signal }),
    retry: (failures, error) =>
      failures < 2 && error instanceof WharfError && error.code === "UNAVAILABLE",
  });
}

/** A change that only the operator may do; afterwards, everything that the operator sees is read again. */
export function useOperatorChange<Input, Output>(
  method: JsonMethod<Input, Output>,
): UseMutationResult<Output, Error, Input> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (request: Input) => client.call(method, request),
    onSuccess: () => cache.invalidateQueries({ queryKey: [KEY] }),
  });
}
