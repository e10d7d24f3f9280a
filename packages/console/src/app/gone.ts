import { useAccess } from "../api/access.ts";
import { useGroupNames } from "../api/group-names.ts";

/** The reason why a group cannot be opened. */
export type GoneReason = "denied" | "missing";

/** Whether the caller has no rights at a group, or it does not exist; undefined if it is there, or not known yet. */
export function useGone(uid: string): GoneReason | undefined {
  const { can, heldWithin, isKnown, isChanging } = useAccess();
  const { isMissing } = useGroupNames(uid === "" ? [] : [uid]);
  if (uid === "" || !isKnown) return undefined;
  if (!heldWithin(uid).includes(uid)) return isChanging ? undefined : "denied";
  return can("groups.list", uid) && isMissing(uid) ? "missing" : undefined;
}
