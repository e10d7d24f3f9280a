import type { Capability } from "@wharf/contract";
import type { Origin } from "../../auth/origins.ts";

/** The filter of a list of grants. */
export interface GrantsQuery {
  /** Grants that apply there; empty for everywhere. */
  readonly resource: string;
  /** Empty for those of all identities. */
  readonly identity: string;
  /** Undefined for any. */
  readonly capability: Capability | undefined;
}

/** A grant, and the identity that has it. */
export interface IdentityOrigin extends Origin {
  /** Empty for a group mapping that is not one of a session. */
  readonly identity: string;
}

/** The position of a grant in a list. */
export interface GrantPosition {
  readonly key: string;
  readonly id: number;
}

export interface GrantsPage {
  readonly after: GrantPosition | undefined;
  readonly skip: number;
  readonly limit: number;
}

/** A grant with its position in the list. */
export interface PositionedOrigin extends IdentityOrigin {
  readonly position: GrantPosition;
}

/** The grants of a page, and the number of those on all pages. */
export interface FoundGrants {
  readonly grants: readonly PositionedOrigin[];
  readonly total: number;
}

/**
 * The order of lists: by group, which puts a group before those below it; role bindings before group mappings; role
 * bindings of an identity by role.
 */
export function withPosition(origin: IdentityOrigin, isOrderedByRole: boolean): PositionedOrigin {
  const { id, scope, role, mapping } = origin;
  const within = isOrderedByRole ? role : "";
  const key = mapping === undefined ? `${scope} 0 ${within}` : `${scope} 1 ${mapping.uid}`;
  return { ...origin, position: { key, id } };
}

export function comparePositions(a: GrantPosition, b: GrantPosition): number {
  if (a.key === b.key) return a.id - b.id;
  return a.key < b.key ? -1 : 1;
}

/** The page of a list that has been read as a whole. */
export function pageOf(
  all: readonly PositionedOrigin[],
  { after, skip, limit }: GrantsPage,
): FoundGrants {
  const rest = after ? all.filter(({ position }) => comparePositions(position, after) > 0) : all;
  return { grants: rest.slice(skip, skip + limit), total: all.length };
}
