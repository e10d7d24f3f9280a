import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  Capability,
  capabilityName,
  type EndSessionRequest,
  EndSessionRequestSchema,
  type ListSessionsRequest,
  ListSessionsResponseSchema,
  type LogoutRequest,
  type PersonSession,
  PersonSessionSchema,
  SessionsService,
} from "@wharf/contract";
import type { Access } from "../../auth/access.ts";
import type { Caller } from "../../auth/caller.ts";
import { audit } from "../../engine/audit/audit.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import { pageSizeOf } from "../../engine/list/list.ts";
import type { ListDeps, Lists } from "../../engine/list/lists.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import {
  failedPrecondition,
  invalidArgument,
  notFound,
  permissionDenied,
  WharfError,
} from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { EMPTY_REPLY, messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  endSession,
  endSessions,
  findSessionForChange,
  listSessions,
  type SessionCursor,
  type SessionOwner,
  type StoredSession,
} from "../../store/tables/login/sessions.ts";
import { deleteTicketsOf } from "../../store/tables/login/tickets.ts";
import { administers } from "./administers.ts";

/**
 * Lists the caller's sessions, with `identity_providers.list` those of a provider, or those of a person whose every role
 * the caller may take away.
 */
export function listSessionsMethod(deps: Omit<ListDeps & ResourceAccess, "catalog">): Handler {
  return async (call, message) => {
    const request = message as ListSessionsRequest;
    const owner = await ownerOf(deps, call.caller, request);
    const limit = pageSizeOf(request.pageSize);
    const after = readCursor(deps.lists, owner, request.pageToken, call.time);
    const found = await listSessions(deps.store.reader, owner, after, limit + 1, call.time);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const response = create(ListSessionsResponseSchema, {
      sessions: rows.map((row) => shown(row, call.caller)),
      nextPageToken: last ? sealCursor(deps.lists, owner, last, call.time) : "",
    });
    return messageReply(ListSessionsResponseSchema, response);
  };
}

async function ownerOf(
  deps: Pick<ResourceAccess, "access" | "store">,
  caller: Caller,
  { identity, identityProvider }: ListSessionsRequest,
): Promise<SessionOwner> {
  if (identityProvider === "") {
    if (identity !== "" && identity !== caller.uid) {
      if (caller.isOperator) return { identity };
      if (await administers(deps.store.reader, caller, identity)) {
        return { identity, provider: "" };
      }
      throw permissionDenied([capabilityName(LIST)], identity);
    }
    return ownSessions(caller.uid, await sessionOf(deps.access, caller, deps.store.reader));
  }
  if (!caller.grants.holds([LIST], identityProvider)) {
    throw permissionDenied([capabilityName(LIST)], identityProvider);
  }
  return { provider: identityProvider, ...(identity === "" ? {} : { identity }) };
}

/**
 * The sessions that a person may see and end: those of the same identity provider, because another
 * provider does not vouch for them; all of them without a provider.
 */
function ownSessions(
  identity: string,
  session: Pick<StoredSession, "provider"> | undefined,
): SessionOwner & { readonly identity: string } {
  const provider = session?.provider ?? "";
  return provider === "" ? { identity } : { identity, provider };
}

/** The session of the caller's token, if it belongs to the caller's identity. */
export async function sessionOf(
  access: Access,
  { uid, session }: Caller,
  reader: Reader,
): Promise<StoredSession | undefined> {
  const found = session ? await access.session(session, reader) : undefined;
  return found?.identity === uid ? found : undefined;
}

const LIST = Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST;
const UPDATE = Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE;

function queryText(owner: SessionOwner): string {
  return JSON.stringify(["ListSessions", owner.identity ?? "", owner.provider ?? ""]);
}

function readCursor(
  { pageTokens }: Lists,
  owner: SessionOwner,
  token: string,
  now: number,
): SessionCursor | undefined {
  if (token === "") return undefined;
  const opened = pageTokens.open(queryText(owner), token, now);
  if (opened === "expired") return undefined;
  if (opened === "foreign") {
    const description = "pageToken must be one that the same query returned";
    throw invalidArgument({ field: "pageToken", description });
  }
  const { key, id } = opened.cursor.position;
  return { created: id, id: String(key) };
}

function sealCursor(
  { pageTokens }: Lists,
  owner: SessionOwner,
  last: StoredSession,
  now: number,
): string {
  const position = { key: last.id, id: last.created };
  return pageTokens.seal(queryText(owner), { position, skipped: 0 }, now);
}

function shown(session: StoredSession, caller: Caller): PersonSession {
  const { id, identity, provider, created, used, expires } = session;
  // A caller who administers a person may end their sessions, but not learn where they are.
  const isOpen = provider !== "" || identity === caller.uid || caller.isOperator;
  const { remoteAddress, userAgent } = isOpen ? session : { remoteAddress: "", userAgent: "" };
  return create(PersonSessionSchema, {
    id,
    identity,
    identityProvider: provider,
    createTime: timestampFromMs(created),
    lastUsedTime: timestampFromMs(used),
    expireTime: timestampFromMs(expires),
    remoteAddress,
    userAgent,
    current: caller.session === id,
    externalGroupRoleMappings: JSON.parse(session.mappings) as string[],
  });
}

/**
 * Ends a session of the caller, with `identity_providers.update` one of a provider, or one of a person whose every role
 * the caller may take away.
 */
export function endSessionMethod(deps: WriteDeps): Handler {
  return async (call, message) => {
    const { id } = message as EndSessionRequest;
    await deps.store.writeFor(call, async (tx) => {
      const session = await findSessionForChange(tx, id);
      const own = await sessionOf(deps.access, call.caller, tx);
      const isAllowed =
        session !== undefined &&
        (mayEnd(call.caller, own, session) ||
          (session.provider === "" && (await administers(tx, call.caller, session.identity))));
      if (!isAllowed) throw notFound("Session", id);
      await endSessionOf(new Mutation(call, tx, deps), session);
    });
    return EMPTY_REPLY;
  };
}

function mayEnd(
  caller: Caller,
  own: StoredSession | undefined,
  { id, identity, provider }: StoredSession,
): boolean {
  const { uid, grants, isOperator, boundary, session } = caller;
  // A down-scoped token can end only its own session.
  if (boundary !== undefined && identity === uid) return session === id;
  if (isOperator) return true;
  if (identity === uid && (ownSessions(uid, own).provider ?? provider) === provider) return true;
  return provider !== "" && grants.holds([UPDATE], provider);
}

/** Ends a session within a mutation; the caller must be allowed to. */
async function endSessionOf(change: Mutation, { id, identity }: StoredSession): Promise<void> {
  const { tx, call, actor } = change;
  await endSession(tx, id);
  await audit(tx, call, { resource: identity, actor, detail: { session: id } });
  const body = { type: EndSessionRequestSchema.typeName, json: JSON.stringify({ id }) };
  change.emit(SessionsService.method.endSession, identity, body);
}

/** Ends the session of the caller's token, or all sessions of the caller. */
export function logoutMethod(deps: WriteDeps): Handler {
  return async (call, message) => {
    const { everywhere } = message as LogoutRequest;
    await deps.store.writeFor(call, (tx) => leave(new Mutation(call, tx, deps), call, everywhere));
    return EMPTY_REPLY;
  };
}

async function leave(change: Mutation, { caller }: Call, everywhere: boolean): Promise<void> {
  const { tx } = change;
  if (everywhere) {
    if (caller.boundary === undefined) {
      const own = await sessionOf(change.deps.access, caller, tx);
      return endSessionsOf(change, ownSessions(caller.uid, own));
    }
    throw new WharfError("PERMISSION_DENIED", "a down-scoped token can end only its own session");
  }
  const session = caller.session ? await findSessionForChange(tx, caller.session) : undefined;
  if (session === undefined) {
    const description = "the token does not belong to a session";
    throw failedPrecondition({ type: "NO_SESSION", description });
  }
  await endSessionOf(change, session);
}

/** Ends sessions of a person, including sign-ins in progress. */
async function endSessionsOf(
  { tx, call, actor }: Mutation,
  owner: SessionOwner & { readonly identity: string },
): Promise<void> {
  const { identity, ...through } = owner;
  const sessions = await endSessions(tx, owner);
  await deleteTicketsOf(tx, identity, through);
  await audit(tx, call, { resource: identity, actor, detail: { sessions } });
}
