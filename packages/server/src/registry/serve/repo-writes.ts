import { truncateUserAgent } from "../../engine/audit/audit.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { identityName } from "../../store/tables/access/identity-names.ts";
import { OWN_HOST } from "../../store/tables/registry/locations.ts";
import { grantPath } from "../access/registry-access.ts";
import type { Action } from "../access/scope.ts";
import { ensureRepoForPath } from "../ingest/ensure-repo-for-path.ts";
import type { MutationOrigin } from "../ingest/system-mutation.ts";
import type { RepoRequest } from "./deps.ts";

/** The actor of a write, as audit log and events name it. */
export async function originOf(
  tx: Transaction,
  { request, caller: { caller }, time }: RepoRequest,
): Promise<MutationOrigin> {
  return {
    actor: caller.uid,
    actorName: caller.name ?? (await identityName(tx, caller.uid)),
    time,
    requestId: request.requestId,
    remoteAddress: request.remoteAddress,
    userAgent: truncateUserAgent(request.headers["user-agent"] ?? ""),
    enforcesQuotas: true,
  };
}

/** Checks again what was checked before the transaction: the right may be gone, or the path another's. */
export async function confirmAccess(
  deps: Pick<ResourceAccess, "access" | "catalog">,
  tx: Transaction,
  { caller: { caller, publicGrants }, name }: RepoRequest,
  action: Action,
): Promise<void> {
  const { version, uid, session, boundary } = caller;
  let { grants } = caller;
  if (version !== undefined && (await tx.relyOnAccess(version)) !== version) {
    const current = await deps.access.grantsOf(uid, tx, session);
    if (current === undefined) throw new WharfError("UNAUTHENTICATED", "access was revoked");
    grants = boundary === undefined ? current : current.intersect(boundary);
  }
  const requester = { grants, publicGrants, isOperator: caller.isOperator };
  const lookup = { catalog: deps.catalog, reader: tx, followsRenames: true };
  const { denial } = await grantPath(lookup, requester, name, action);
  if (denial !== undefined) throw new WharfError("PERMISSION_DENIED", denial);
}

/** The repo of a push, created if it is the first one. */
export async function repoOfPush(
  deps: WriteDeps,
  tx: Transaction,
  repoRequest: RepoRequest,
): Promise<string> {
  await confirmAccess(deps, tx, repoRequest, "push");
  const { name } = repoRequest;
  const origin = await originOf(tx, repoRequest);
  const ensured = await ensureRepoForPath(deps, tx, OWN_HOST, name, origin);
  if (ensured === undefined) throw new WharfError("NOT_FOUND", `${name} cannot be a repository`);
  return ensured.uid;
}
