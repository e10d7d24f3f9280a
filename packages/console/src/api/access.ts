import type { WhoAmI_CapabilityJson } from "@wharf/contract/messages";
import { api, useRead } from "./client.ts";

/** What the caller may do, from the server's own answer; it decides again on each request. */
export interface Access {
  /** Whether the caller holds a capability, such as `groups.create`, at a group. */
  can(capability: string, group: string): boolean;
  /** Whether the answer has arrived. */
  readonly isKnown: boolean;
}

export function useAccess(): Access {
  const { data } = useRead(api.auth.validate, {});
  const held = data?.capabilities ?? [];
  return {
    isKnown: data !== undefined,
    can: (capability, group) => held.some((one) => grants(one, capability, group)),
  };
}

/** Capabilities apply to their group and everything below it. */
function grants(held: WhoAmI_CapabilityJson, capability: string, group: string): boolean {
  const at = held.group?.id ?? "";
  const applies = at === "" || group === at || group.startsWith(`${at}/`);
  const names = held.capabilities?.length ? held.capabilities : (held.role?.capabilities ?? []);
  return applies && names.includes(capability);
}
