import { CAPABILITY_NAMES } from "@wharf/contract/capability-names";
import type { RoleJson } from "@wharf/contract/messages";

/** A capability as JSON spells it. */
export type CapabilityKey = NonNullable<RoleJson["capabilities"]>[number];

/** Capabilities of one resource, such as `role_bindings`. */
export interface CapabilityGroup {
  readonly resource: string;
  readonly capabilities: readonly { readonly key: CapabilityKey; readonly name: string }[];
}

/** The dotted name of a capability, such as `groups.list`. */
export function capabilityName(key: CapabilityKey): string {
  return (CAPABILITY_NAMES as Partial<Record<CapabilityKey, string>>)[key] ?? key;
}

/** All capabilities that roles can contain. */
export const ALL_CAPABILITIES = Object.keys(CAPABILITY_NAMES) as CapabilityKey[];

/** Groups capabilities by resource, and sorts both. */
export function byResource(keys: readonly CapabilityKey[]): CapabilityGroup[] {
  const groups = new Map<string, { key: CapabilityKey; name: string }[]>();
  const named = keys.map((key) => ({ key, name: capabilityName(key) }));
  for (const one of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const resource = one.name.slice(0, Math.max(one.name.lastIndexOf("."), 0)) || one.name;
    groups.set(resource, [...(groups.get(resource) ?? []), one]);
  }
  return [...groups].map(([resource, capabilities]) => ({ resource, capabilities }));
}
