import { CapabilitySet, capabilityFromName, isUid } from "@wharf/contract";
import { Grants } from "../auth/grants.ts";
import { findGroupsByName } from "../iam/groups.ts";
import { type FieldViolation, invalidArgument } from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";

/** The boundary that a caller requests for a token. Empty lists do not restrict it. */
export interface DownScopeRequest {
  /** Groups, by uid or name: the token holds nothing outside of them. */
  readonly scopes: readonly string[];
  /** Dotted names of capabilities: the token holds no others. */
  readonly capabilities: readonly string[];
}

/**
 * The boundary of a down-scoped token; undefined if the request restricts nothing. At each scope it is
 * what the identity holds there, from grants at the scope or above.
 */
export async function downScope(
  reader: Reader,
  granted: Grants,
  { scopes, capabilities }: DownScopeRequest,
): Promise<Grants | undefined> {
  if (scopes.length === 0 && capabilities.length === 0) return undefined;
  const allowed = capabilities.length === 0 ? undefined : readCapabilities(capabilities);
  const entries = scopes.length === 0 ? granted.entries : await heldAt(reader, granted, scopes);
  return Grants.at(
    [...entries].map(([uid, held]) => [uid, allowed ? held.intersect(allowed) : held] as const),
  );
}

/** Resolves uids or names of groups to uids. Throws unless the identity holds something in each. */
export async function resolveScopes(
  reader: Reader,
  granted: Grants,
  scopes: readonly string[],
): Promise<string[]> {
  return (await heldAt(reader, granted, scopes)).map(([uid]) => uid);
}

type ScopeEntry = readonly [uid: string, held: CapabilitySet];

async function heldAt(
  reader: Reader,
  granted: Grants,
  scopes: readonly string[],
): Promise<ScopeEntry[]> {
  const entries: ScopeEntry[] = [];
  for (const scope of new Set(scopes)) {
    const uid = isUid(scope) ? scope : await uidOf(reader, granted, scope);
    const held = granted.heldAt(uid);
    if (held.isEmpty) throw invalidArgument(outOfReach(scope));
    entries.push([uid, held]);
  }
  return entries;
}

/** Resolves a name among the groups in which the identity holds something, so it reveals no others. */
async function uidOf(reader: Reader, granted: Grants, name: string): Promise<string> {
  const [only, another] = await findGroupsByName(reader, granted.reach([]), name);
  if (only === undefined) throw invalidArgument(outOfReach(name));
  if (another === undefined) return only.uid;
  const description = `several groups are named ${JSON.stringify(name)}: use a uid`;
  throw invalidArgument({ field: "scopes", description });
}

/** The same error whether the group does not exist or the identity holds nothing in it. */
function outOfReach(scope: string): FieldViolation {
  const description = `${JSON.stringify(scope)} is not a group in which the identity holds a capability`;
  return { field: "scopes", description };
}

/** The scopes of a request, including the single one that older clients send in its own field. */
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
  const capabilities = names.map((name) => {
    const capability = capabilityFromName(name);
    if (capability !== undefined) return capability;
    throw invalidArgument({
      field: "cap",
      description: `${JSON.stringify(name)} is not a capability`,
    });
  });
  return CapabilitySet.of(...capabilities);
}
