import { api, useRead } from "./client.ts";
import { grants, heldWithin } from "./grants.ts";

/** The grants of the caller, as a hint for the screens: the server authorizes each request. */
export interface Access {
  /** Whether the caller holds a capability, such as `groups.create`, at a group. */
  can(capability: string, group: string): boolean;
  /** The groups at or below a group at which the caller holds something: itself, if also from above. */
  heldWithin(group: string): readonly string[];
  /** Whether the answer has arrived. */
  readonly isKnown: boolean;
  /** Whether it is being read again: rights may just have been granted. */
  readonly isChanging: boolean;
}

export function useAccess(): Access {
  const { data, isFetching } = useRead(api.auth.validate, {});
  const held = data?.capabilities ?? [];
  return {
    isKnown: data !== undefined,
    isChanging: isFetching,
    can: (capability, group) => held.some((one) => grants(one, capability, group)),
    heldWithin: (group) => heldWithin(held, group),
  };
}
