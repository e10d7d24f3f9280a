import { Capability, type Group } from "@wharf/contract";
import type { Authenticator } from "../../auth/authenticator.ts";
import { ANONYMOUS_UID } from "../../auth/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import { notFound, unauthenticated } from "../../lib/errors.ts";
import { resolvePath } from "../../registry/path.ts";
import type { IdentityCache } from "../../sts/identity-cache.ts";
import type { NamingDeps } from "../naming.ts";

/** What access to feeds depends on. */
export interface FeedAccess extends NamingDeps {
  readonly engine: Engine;
  readonly authenticator: Authenticator;
  readonly identities: IdentityCache;
}

/** A group whose feed the caller may read, and whether anonymous callers may. */
export interface FeedGroup {
  readonly group: Group;
  readonly isPublic: boolean;
}

const REQUIRED = [Capability.CAP_ADVISORIES_LIST];

/**
 * The group of a feed that the caller may read: a public one, where the anonymous identity has a role that lists
 * advisories, or one where the caller may list them. Otherwise the error does not reveal whether the group
 * exists.
 */
export async function feedGroup(
  { engine, authenticator, identities }: FeedAccess,
  written: string,
  authorization: string | undefined,
): Promise<FeedGroup> {
  // First, so that an invalid token is rejected for every group.
  const hasToken = authorization !== undefined && authorization !== "";
  const caller = hasToken ? await authenticator.caller(authorization, Date.now()) : undefined;
  const group = await findGroup(engine, written);
  const anonymous = await identities.find(ANONYMOUS_UID);
  if (group !== undefined) {
    if (anonymous?.granted.holds(REQUIRED, group.uid)) return { group, isPublic: true };
    if (caller?.grants.holds(REQUIRED, group.uid)) return { group, isPublic: false };
  }
  if (caller === undefined)
    throw unauthenticated("the feed does not exist or is not public: send a token");
  throw notFound("Feed", written);
}

/** By uid or by path of names, as in the names of repositories. */
async function findGroup(engine: Engine, written: string): Promise<Group | undefined> {
  const { reader } = engine.store;
  const name = written.split("/").map(decodeURIComponent).join("/");
  const location = await resolvePath(engine, reader, `${name}/-`);
  if (location === undefined || location.missing.length > 0) return undefined;
  return engine.catalog.groups.find(reader, location.group);
}
