import { WharfError } from "../../lib/errors.ts";
import { sentenceOf } from "../page-endpoint.ts";

/** What people can put right in the form that they have just sent. */
const SLIPS: ReadonlySet<string> = new Set(["INVALID_ARGUMENT", "ALREADY_EXISTS"]);

/**
 * The sentence to show above a form that must be filled in again; throws whatever else went wrong.
 */
export function slipOf(thrown: unknown): string {
  const error = WharfError.from(thrown);
  if (!SLIPS.has(error.code)) throw thrown;
  return sentenceOf(error);
}
