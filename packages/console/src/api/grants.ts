import type { WhoAmI_CapabilityJson } from "@wharf/contract/messages";

/** Capabilities of the caller at a group, of a role or listed. They apply to everything below the group, too. */
export type Grant = WhoAmI_CapabilityJson;

/** Whether a grant includes a capability at a group. */
export function grants(held: Grant, capability: string, group: string): boolean {
  const names = held.capabilities?.length ? held.capabilities : (held.role?.capabilities ?? []);
  return applies(scopeOf(held), group) && names.includes(capability);
}

/** The groups at or below a group at which the caller holds something: the group itself, if also from above. */
export function heldWithin(held: readonly Grant[], group: string): readonly string[] {
  const scopes = held.map(scopeOf);
  if (scopes.some((scope) => applies(scope, group))) return [group];
  return scopes.filter((scope) => scope.startsWith(`${group}/`));
}

/** The group of a grant; empty for the whole installation. */
function scopeOf({ group }: Grant): string {
  return group?.id ?? "";
}

function applies(scope: string, group: string): boolean {
  return scope === "" || group === scope || group.startsWith(`${scope}/`);
}
