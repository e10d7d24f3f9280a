/** Limits the number of parameters of queries and forms before they are parsed. */
import { invalidArgument, type WharfError } from "../../lib/errors.ts";

/** Filters have up to 1,000 UIDs and some options. */
const MAX_PARAMETERS = 1_100;

const AMPERSAND = 0x26;

/** Throws INVALID_ARGUMENT if a query or form has too many parameters. */
export function checkParameterCount(text: string): void {
  // Each parameter takes at least one character.
  if (text.length < MAX_PARAMETERS) return;
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) === AMPERSAND && ++count > MAX_PARAMETERS) throw tooMany();
  }
}

/** Parses a form. */
export function readParameters(body: Buffer): URLSearchParams {
  const text = body.toString("utf8");
  checkParameterCount(text);
  return new URLSearchParams(text);
}

function tooMany(): WharfError {
  const description = `the request has more than ${MAX_PARAMETERS} parameters`;
  return invalidArgument({ field: "", description });
}
