import type { Capability, Identity } from "@wharf/contract";
import type { Access } from "../../auth/access.ts";
import { revokedToken } from "../../auth/authenticator.ts";
import type { Caller } from "../../auth/caller.ts";
import type { Grants } from "../../auth/grants.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import { notFound, WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { StoredSession } from "../../store/tables/login/sessions.ts";
import { mappedSessions } from "./mapped-sessions.ts";
import { accessDenied, mayReadBindings, mustReadIdentity } from "./visibility.ts";

/** A question about access. */
export interface Question {
  readonly resource: string;
  readonly capability: Capability;
  /** Empty for the caller. */
  readonly identity: string;
}

/**
 * Decides questions as requests are decided: by the grants that `Access` compiles. Grants of an identity are read once,
 * so all questions must be of one access version.
 */
export class Decisions {
  readonly #deps: ResourceAccess;
  readonly #call: Call;
  readonly #version: number;
  /** By identity: its grants, or the error of all questions about it. */
  readonly #grants = new Map<string, readonly Grants[] | WharfError>();

  constructor(deps: ResourceAccess, call: Call, version: number) {
    this.#deps = deps;
    this.#call = call;
    this.#version = version;
  }

  /** The decision; an error if the caller may not ask, or there is no such identity. */
  decide(question: Question): boolean | WharfError | Promise<boolean | WharfError> {
    const { resource, capability, identity } = question;
    const { caller } = this.#call;
    const uid = identity || caller.uid;
    if (uid !== caller.uid && !mayReadBindings(caller, resource)) return accessDenied(resource);
    const grants = this.#grants.get(uid);
    if (grants === undefined) return this.#read(uid).then(() => this.decide(question));
    if (grants instanceof WharfError) return grants;
    return grants.some((one) => one.holds([capability], resource));
  }

  async #read(uid: string): Promise<void> {
    const isOwn = uid === this.#call.caller.uid;
    const grants = isOwn ? this.#ofCaller() : this.#ofOther(uid);
    this.#grants.set(uid, await grants.catch(ofQuestion));
  }

  async #ofCaller(): Promise<Grants[]> {
    const { caller } = this.#call;
    const { version = this.#version } = caller;
    if (version === this.#version) return [caller.grants];
    return [await ownGrants(this.#deps.access, this.#deps.store.readerFor(this.#call), caller)];
  }

  async #ofOther(uid: string): Promise<readonly Grants[]> {
    await mustReadIdentity(this.#deps.store, this.#call.caller, uid);
    const reader = this.#deps.store.readerFor(this.#call);
    return (await possibleAccess(this.#deps, reader, uid, this.#call.time)).grants;
  }
}

/** Errors of questions; all others are those of the whole call. */
function ofQuestion(error: unknown): WharfError {
  const isOfQuestion =
    error instanceof WharfError && ["PERMISSION_DENIED", "NOT_FOUND"].includes(error.code);
  if (isOfQuestion) return error;
  throw error;
}

/** The current grants of the caller, with the token of the call. */
export async function ownGrants(
  access: Access,
  reader: Reader,
  { uid, session = "", boundary }: Caller,
): Promise<Grants> {
  const grants = await access.grantsOf(uid, reader, session);
  if (grants === undefined) throw revokedToken(session);
  return boundary === undefined ? grants : grants.intersect(boundary);
}

/** Access of an identity with any token that it can have, without a scope of its own. */
interface PossibleAccess {
  readonly identity: Identity;
  readonly sessions: readonly StoredSession[];
  readonly grants: readonly Grants[];
}

export async function possibleAccess(
  deps: Pick<ResourceAccess, "access" | "catalog">,
  reader: Reader,
  uid: string,
  now: number,
): Promise<PossibleAccess> {
  const { access, catalog } = deps;
  const identity = await catalog.identities.find(reader, uid);
  if (identity === undefined) throw notFound(catalog.identities.typeName, uid);
  const sessions = await mappedSessions(deps.access, reader, uid, now);
  const grants: Grants[] = [];
  for (const session of ["", ...sessions.map(({ id }) => id)]) {
    const found = await access.grantsOf(uid, reader, session);
    if (found !== undefined) grants.push(found);
  }
  return { identity, sessions, grants };
}
