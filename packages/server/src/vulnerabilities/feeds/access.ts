import { CapabilitySet, type Group } from "@wharf/contract";
import type { Authenticator } from "../../auth/authenticator.ts";
import { ANONYMOUS_UID } from "../../auth/caller.ts";
import { Grants } from "../../auth/grants.ts";
import { FEED_CAPABILITIES } from "../../auth/public-access.ts";
import type { ResourceStore } from "../../engine/catalog.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { notFound, unauthenticated } from "../../lib/errors.ts";
import {
  authenticateTrusted,
  isBasic,
  readAuthorization,
} from "../../registry/access/credentials.ts";
import { resolvePath } from "../../registry/path.ts";
import type { ExchangeDeps } from "../../sts/authorize-subject.ts";
import { updateLastSeen } from "../../sts/exchange-audit.ts";
import type { NamingDeps } from "../naming.ts";

/** Dependencies of access to feeds. */
export interface FeedAccess extends NamingDeps, ListDeps {
  readonly authenticator: Authenticator;
  readonly exchange: ExchangeDeps;
}

/** A group whose feed the caller may read, and whether anonymous callers may. */
export interface FeedGroup {
  readonly group: Group;
  readonly isPublic: boolean;
}

/**
 * The group of a feed that the caller may read: a public one, where the anonymous identity has a role that lists
 * advisories, or one where the caller may list them. Otherwise the error does not reveal whether the group
 * exists.
 */
export async function feedGroup(
  access: FeedAccess,
  written: string,
  authorization: string | undefined,
): Promise<FeedGroup> {
  const { exchange } = access;
  // First, so that invalid credentials are rejected for every group.
  const grants = await grantsOf(access, authorization);
  const group = await findGroup(access, written);
  const anonymous = await exchange.identities.find(ANONYMOUS_UID);
  if (group !== undefined) {
    if (anonymous?.granted.holds(FEED_CAPABILITIES, group.uid)) return { group, isPublic: true };
    if (grants?.holds(FEED_CAPABILITIES, group.uid)) return { group, isPublic: false };
  }
  if (grants === undefined)
    throw unauthenticated("the feed does not exist or is not public: send a token");
  throw notFound("Feed", written);
}

/**
 * The scopes at which a caller reads advisories: where it may list them, and where everyone may. Everywhere if undefined.
 * Without credentials and anything public, it is asked for credentials: an empty answer would look like good news.
 */
export async function advisoryScopes(
  access: FeedAccess,
  authorization: string | undefined,
): Promise<readonly string[] | undefined> {
  const own = await grantsOf(access, authorization);
  const anonymous = await access.exchange.identities.find(ANONYMOUS_UID);
  const open = anonymous?.granted.reach(FEED_CAPABILITIES) ?? { scopes: [] };
  const shared = "scopes" in open ? open.scopes : [];
  if (own === undefined && shared.length === 0) {
    throw unauthenticated("no advisories are public here: send a token");
  }
  const readable = CapabilitySet.of(...FEED_CAPABILITIES);
  const grants = (own ?? Grants.NONE).plus(shared.map((uid) => [uid, readable]));
  const reach = grants.reach(FEED_CAPABILITIES);
  return "scopes" in reach ? reach.scopes : undefined;
}

/**
 * The grants of the caller; undefined without credentials. Scanners often know only user names and passwords, so
 * Basic is accepted as the registry does: a pull token with its identity, or a token of ours with the user `_token`.
 */
async function grantsOf(
  deps: FeedAccess,
  authorization: string | undefined,
): Promise<Grants | undefined> {
  const { authenticator, exchange } = deps;
  if (authorization === undefined || authorization === "") return undefined;
  const time = Date.now();
  if (!isBasic(authorization)) return (await authenticator.caller(authorization, time)).grants;
  const credentials = readAuthorization(authorization);
  if (credentials.kind !== "trusted") {
    const token = credentials.kind === "ours" ? credentials.token : "";
    return (await authenticator.caller(`Bearer ${token}`, time)).grants;
  }
  const seen = { identity: "" };
  const { identity, grants } = await authenticateTrusted(exchange, credentials, time, seen);
  await updateLastSeen(deps, identity, time);
  return grants;
}

/** By uid or by path of names, as in the names of repositories. */
async function findGroup(deps: ResourceStore, written: string): Promise<Group | undefined> {
  const { reader } = deps.store;
  const name = written.split("/").map(decodeURIComponent).join("/");
  const location = await resolvePath(deps.catalog, reader, `${name}/-`);
  if (location === undefined || location.missing.length > 0) return undefined;
  return deps.catalog.groups.find(reader, location.group);
}
