import { CapabilitySet, capabilityFromName, isUid } from "@wharf/contract";
import { Grants } from "../auth/grants.ts";
import { groupsNamed } from "../iam/groups.ts";
import { type FieldViolation, invalidArgument } from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";

/** How a caller wants a token to be narrower than its identity. */
export interface DownScopeRequest {
  /** Groups, by uid or name; nothing is held outside of them. */
  readonly scopes: readonly string[];
  /** Dotted names of capabilities; no other is held. */
  readonly capabilities: readonly string[];
}

/**
 * What a narrowed token may hold; undefined when nothing narrows it. At each scope it is what the
 * identity is granted there or above.
 */
export async function downScope(
  reader: Reader,
  granted: Grants,
  { scopes, capabilities }: DownScopeRequest,
): Promise<Grants | undefined> {
  if (scopes.length === 0 && capabilities.length === 0) return undefined;
  const allowed = capabilities.length === 0 ? undefined : readCapabilities(capabilities);
  const places = scopes.length === 0 ? granted.entries : await heldAt(reader, granted, scopes);
  return Grants.at(
    [...places].map(([uid, held]) => [uid, allowed ? held.intersect(allowed) : held] as const),
  );
}

type Held = readonly [uid: string, held: CapabilitySet];

async function heldAt(reader: Reader, granted: Grants, scopes: readonly string[]): Promise<Held[]> {
  const places: Held[] = [];
  for (const scope of new Set(scopes)) {
    const uid = isUid(scope) ? scope : await uidOf(reader, granted, scope);
    const held = granted.heldAt(uid);
    if (held.isEmpty) throw invalidArgument(outOfReach(scope));
    places.push([uid, held]);
  }
  return places;
}

/** A name counts only among the groups in which something is held, so that it tells of no other. */
async function uidOf(reader: Reader, granted: Grants, name: string): Promise<string> {
  const [only, another] = await groupsNamed(reader, granted.reach([]), name);
  if (only === undefined) throw invalidArgument(outOfReach(name));
  if (another === undefined) return only.uid;
  const description = `several groups are called ${JSON.stringify(name)}: give a uid`;
  throw invalidArgument({ field: "scopes", description });
}

/** The same for what does not exist and for what is none of the identity's business. */
function outOfReach(scope: string): FieldViolation {
  const description = `${JSON.stringify(scope)} is not a group in which the identity holds anything`;
  return { field: "scopes", description };
}

/** The scopes of a request, also the one that older clients send apart. */
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
