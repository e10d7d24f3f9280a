import { create } from "@bufbuild/protobuf";
import { isUid, type UIDPFilter, UIDPFilterSchema } from "@wharf/contract";

/**
 * Combines the two uid filters of version 1 into the one of version 2. Undefined if no uid can match:
 * version 1 returns an empty list for malformed uids.
 */
export function filterOf(id: string, uidp?: UIDPFilter): UIDPFilter | undefined {
  const named = uidp?.ids ?? [];
  const requestedIds =
    id === "" ? named : named.length === 0 ? [id] : named.filter((one) => one === id);
  const ids = requestedIds.filter(isUid);
  const isFiltered = id !== "" || named.length > 0;
  if (isFiltered && ids.length === 0) return undefined;
  return Object.assign(create(UIDPFilterSchema), uidp, { ids });
}
