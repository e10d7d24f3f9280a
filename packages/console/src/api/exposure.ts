import { useQueryClient } from "@tanstack/react-query";

/** The server recomputes findings in the background, usually within a second. */
const FOLLOW_UP_MS = [0, 1_000, 4_000];

/** Reads everything about packages and vulnerabilities again: now, and when the server has recomputed it. */
export function useExposureRefresh(): () => void {
  const cache = useQueryClient();
  const refresh = () =>
    cache.invalidateQueries({
      predicate: ({ queryKey: [service] }) => String(service).startsWith("/exposure/"),
    });
  return () => {
    for (const delay of FOLLOW_UP_MS) setTimeout(refresh, delay);
  };
}
