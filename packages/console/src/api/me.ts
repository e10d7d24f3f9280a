import { useQuery } from "@tanstack/react-query";
import { session } from "./session.ts";

/** The person who is signed in; undefined until known. */
export function usePerson(): { readonly identity: string; readonly name: string } | undefined {
  const { data } = useQuery({
    queryKey: ["me"],
    queryFn: async () => {
      const { identity, name } = await session();
      return { identity, name };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

/** The uid of the identity of the person who is signed in; empty until it is known. */
export function useMe(): string {
  return usePerson()?.identity ?? "";
}
