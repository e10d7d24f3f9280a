import { isUid } from "@wharf/contract";
import { usageError } from "../errors.ts";

/** Refuses what is no uid, for things that have no names. */
export function mustBeUid(source: string, text: string): void {
  if (isUid(text)) return;
  throw usageError(`${source} must be a uid, not "${text}"`, "lists show uids, `-o id` only these");
}
