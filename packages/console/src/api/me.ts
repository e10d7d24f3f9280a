import { useQuery } from "@tanstack/react-query";
import { session } from "./session.ts";

/** The uid of the identity of the person who is signed in; empty until it is known. */
export function useMe(): string {
  const { data } = useQuery({
    queryKey: ["me"],
    queryFn: async () => (await session()).identity,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? "";
}
