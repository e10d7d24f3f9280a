import { Capability, type Group } from "@wharf/contract";
import type { Authenticator } from "../../auth/authenticator.ts";
import { ANONYMOUS_UID } from "../../auth/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import { notFound, unauthenticated } from "../../lib/errors.ts";
import { placeOf } from "../../registry/path.ts";
import type { IdentityCache } from "../../sts/identity-cache.ts";
import type { NamingDeps } from "../naming.ts";

/** What decides who may read a feed. */
export interface FeedAccess extends NamingDeps {
  readonly engine: Engine;
  readonly authenticator: Authenticator;
  readonly identities: IdentityCache;
}

/** A group whose feed may be read, and whether by everyone. */
export interface FeedGroup {
  readonly group: Group;
  readonly isPublic: boolean;
}

const NEEDED = [Capability.CAP_ADVISORIES_LIST];

/**
 * The group of a feed, for whoever may read it: everyone, where the identity `anyone` is bound to a role
 * that lists advisories, and those who may list them themselves. Whoever comes without a token, or
 * without the right, hears the same of a group that is not public as of one that does not exist.
 *
 * @example const { group, isPublic } = await feedGroup(access, "acme/team", request.headers.authorization);
 */
export async function feedGroup(
  { engine, authenticator, identities }: FeedAccess,
  written: string,
  authorization: string | undefined,
): Promise<FeedGroup> {
  // First, so that a token which is no good is told so of every group.
  const hasToken = authorization !== undefined && authorization !== "";
  const caller = hasToken ? await authenticator.caller(authorization, Date.now()) : undefined;
  const group = await findGroup(engine, written);
  const anyone = await identities.find(ANONYMOUS_UID);
  if (group !== undefined) {
    if (anyone?.granted.holds(NEEDED, group.uid)) return { group, isPublic: true };
    if (caller?.grants.holds(NEEDED, group.uid)) return { group, isPublic: false };
  }
  if (caller === undefined) throw unauthenticated("this feed, if there is one, is not public");
  throw notFound("Feed", written);
}

/** By uid or by names, as in the names of a registry's repositories. */
async function findGroup(engine: Engine, written: string): Promise<Group | undefined> {
  const { reader } = engine.store;
  const name = written.split("/").map(decodeURIComponent).join("/");
  const place = await placeOf(engine, reader, `${name}/-`);
  if (place === undefined || place.missing.length > 0) return undefined;
  return engine.catalog.groups.find(reader, place.group);
}
