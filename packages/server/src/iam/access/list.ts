import { create } from "@bufbuild/protobuf";
import {
  ancestorsOf,
  Capability,
  type ListAccessRequest,
  ListAccessResponseSchema,
} from "@wharf/contract";
import type { ResourceAccess } from "../../engine/catalog.ts";
import { pageSizeOf, readCursor, readSkip } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { mustBeCapability } from "./check.ts";
import { readConsistently } from "./consistent-read.ts";
import { grantMessages } from "./grant-messages.ts";
import { grantsAtResource } from "./grants-at-resource.ts";
import { grantsOfIdentity } from "./grants-of-identity.ts";
import { mayReadBindings, mustReadAccess } from "./visibility.ts";

const MAX_INT32 = 2 ** 31 - 1;

/** Lists the grants that apply at a resource, or those of an identity. */
export function listAccessMethod(deps: ListDeps & ResourceAccess): Handler {
  return onlyReads(async (call, message) => {
    const { caller, time } = call;
    const { resource, identity, capability, pageToken, ...request } = message as ListAccessRequest;
    const pageSize = pageSizeOf(request.pageSize);
    const skip = readSkip(request.skip);
    if (capability !== Capability.UNKNOWN) mustBeCapability(capability);
    if (resource === "" && identity === "") {
      const description = "resource is required unless there is an identity";
      throw invalidArgument({ field: "resource", description });
    }
    if (resource !== "" && identity !== caller.uid) mustReadAccess(caller, resource);
    const query = JSON.stringify(["access", resource, identity, capability]);
    const cursor = readCursor(deps.lists, query, pageToken, time);
    const after = cursor && { key: String(cursor.position.key), id: cursor.position.id };
    const page = { after, skip, limit: pageSize + 1 };
    const reader = deps.store.readerFor(call);
    const which = { resource, identity, capability: capability || undefined };
    const { grants: found, total } = await deps.lists.run(call, 1, (task) =>
      readConsistently(deps.store, () =>
        identity === ""
          ? grantsAtResource(deps, reader, call, which, page, task)
          : grantsOfIdentity(deps, reader, call, which, page, task),
      ),
    );
    const shown = found.slice(0, pageSize);
    const skipped = Math.min((cursor?.skipped ?? 0) + skip, MAX_INT32);
    const last = found.length > pageSize ? shown.at(-1) : undefined;
    const next = last && { position: last.position, skipped };
    const isHidden = (group: string) => !mayReadBindings(caller, group);
    const response = create(ListAccessResponseSchema, {
      grants: await grantMessages(deps.catalog, reader, shown, { caller, resource }),
      nextPageToken: next ? deps.lists.pageTokens.seal(query, next, time) : "",
      totalCount: BigInt(total),
      skipped,
      hiddenAbove: identity !== caller.uid && ancestorsOf(resource).some(isHidden),
    });
    return messageReply(ListAccessResponseSchema, response);
  });
}
