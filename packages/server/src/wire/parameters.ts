/** Parameters of queries and forms, bounded in number before they are split. */
import { invalidArgument, type WharfError } from "../lib/errors.ts";

/** Parameters of a query or a form: filters name up to 1,000 uids, and have some options. */
export const MAX_PARAMETERS = 1_100;

const AMPERSAND = 0x26;

/** Throws INVALID_ARGUMENT when a query or form has too many parameters. */
export function checkParameterCount(text: string): void {
  // Each parameter but the last takes an ampersand.
  if (text.length < MAX_PARAMETERS) return;
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) === AMPERSAND && ++count > MAX_PARAMETERS) throw tooMany();
  }
}

/** Reads a form. */
export function readParameters(body: Buffer): URLSearchParams {
  const text = body.toString("utf8");
  checkParameterCount(text);
  return new URLSearchParams(text);
}

function tooMany(): WharfError {
  const description = `the request has more than ${MAX_PARAMETERS} parameters`;
  return invalidArgument({ field: "", description });
}
