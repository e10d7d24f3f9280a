import { type Capability, CapabilitySet, capabilityName, type EventFilter } from "@wharf/contract";
import type { Grants } from "../auth/grants.ts";
import { PermissionDeniedError } from "../lib/errors.ts";
import { type EventNames, fullType } from "./cloud-event.ts";
import { eventTypes } from "./event-types.ts";
import { matches } from "./filters.ts";

/**
 * Reading events is reading what they are about. So a subscription or a stream takes the list capabilities of every type
 * of event that its filters can match, at its group; capabilities there count for everything below.
 */
export function capabilitiesFor(
  filters: readonly EventFilter[],
  names: Pick<EventNames, "typePrefix">,
): CapabilitySet {
  const all: Capability[] = [];
  for (const [type, { capabilities }] of eventTypes()) {
    const exceptions: Readonly<Record<string, string>> = {
      type: fullType(type, names),
      specversion: "1.0",
      datacontenttype: "application/json",
      audience: "customer",
    };
    if (matches(filters, (name) => exceptions[name]) !== false) all.push(...capabilities);
  }
  return CapabilitySet.of(...all);
}

/** Throws unless the caller has the list capabilities; names the missing ones, and the way out. */
export function mustRead(grants: Grants, group: string, needed: CapabilitySet): void {
  const missing = missingOf(grants, group, needed);
  if (missing.length === 0) return;
  const text = `needs ${missing.join(", ")} at ${JSON.stringify(group)}; or filter the types of events`;
  throw new PermissionDeniedError(text, group);
}

/** The names of the list capabilities that are not held at a group. */
export function missingOf(
  grants: Grants | undefined,
  group: string,
  needed: CapabilitySet,
): string[] {
  const callerCapabilities = grants?.heldAt(group) ?? CapabilitySet.EMPTY;
  return needed
    .toArray()
    .filter((one) => !callerCapabilities.has(one))
    .map(capabilityName);
}

/** Whether events of a type at a group, and below it, may be read. */
export function mayRead(grants: Grants, group: string, type: string): boolean {
  const eventType = eventTypes().get(type);
  if (eventType === undefined) return false;
  return missingOf(grants, group, CapabilitySet.of(...eventType.capabilities)).length === 0;
}
