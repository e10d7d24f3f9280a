import { CapabilitySet, capabilityFromName, isUid } from "@wharf/contract";
import { Grants } from "../auth/grants.ts";
import { invalidArgument } from "../errors.ts";

/** How a caller wants a token to be narrower than its identity. */
export interface Narrowing {
  /** Uids of groups; nothing is held outside of them. */
  readonly scopes: readonly string[];
  /** Dotted names of capabilities; no other is held. */
  readonly capabilities: readonly string[];
}

/**
 * What a narrowed token may hold; undefined when nothing narrows it. At each scope it is what the
 * identity is granted there or above.
 *
 * @example limitFor(grants, { scopes: [folder], capabilities: ["repo.list"] })
 */
export function limitFor(granted: Grants, { scopes, capabilities }: Narrowing): Grants | undefined {
  if (scopes.length === 0 && capabilities.length === 0) return undefined;
  if (!scopes.every(isUid))
    throw invalidArgument({ field: "scopes", description: "scopes must be uids of groups" });
  const allowed = capabilities.length === 0 ? undefined : readCapabilities(capabilities);
  const places =
    scopes.length === 0
      ? granted.entries
      : scopes.map((uid) => [uid, granted.heldAt(uid)] as const);
  return Grants.at(
    [...places].map(([uid, held]) => [uid, allowed ? held.intersect(allowed) : held] as const),
  );
}

/**
 * The scopes of a request, also the one that older clients send apart.
 *
 * @example limitFor(granted, { scopes: scopesOf(request), capabilities: request.cap })
 */
export function scopesOf({
  scope,
  scopes,
}: {
  scope: string;
  scopes: readonly string[];
}): string[] {
  return [...scopes, ...(scope === "" ? [] : [scope])];
}

function readCapabilities(names: readonly string[]): CapabilitySet {
  const found = names.map((name) => {
    const capability = capabilityFromName(name);
    if (capability !== undefined) return capability;
    throw invalidArgument({
      field: "cap",
      description: `${JSON.stringify(name)} is not a capability`,
    });
  });
  return CapabilitySet.of(...found);
}
