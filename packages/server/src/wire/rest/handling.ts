/** Handling of body fields that the schema does not have: the preference `handling` (RFC 7240) and warnings. */

import type { ParsedJson, ParseOptions } from "../../rpc/json-parse.ts";
import type { HttpContext } from "../http/reply.ts";

export type Handling = "strict" | "lenient";

/** Longer headers are ignored: preferences are short, and matching must be, too. */
const MAX_PREFER_LENGTH = 1_000;

/** Preferences are separated by commas outside of quoted text. */
const PREFERENCE = /(?:"(?:[^"\\]|\\.)*"|[^,"])+/g;

const HANDLING = /^\s*handling\s*=\s*"?(\w+)"?\s*(?:;|$)/i;

/** The preferred handling; undefined if the client has none, or one that is not known. The first one counts. */
export function readHandling(prefer: string | string[] | undefined): Handling | undefined {
  const text = prefer?.toString() ?? "";
  if (text.length > MAX_PREFER_LENGTH) return undefined;
  for (const preference of text.match(PREFERENCE) ?? []) {
    const value = HANDLING.exec(preference)?.[1]?.toLowerCase();
    if (value !== undefined) return value === "strict" || value === "lenient" ? value : undefined;
  }
  return undefined;
}

/** Reads a JSON body as the client prefers. The response says how unknown fields are handled. */
export function readAsPreferred<T extends Pick<ParsedJson, "unknown">>(
  { context, request }: Pick<HttpContext, "context" | "request">,
  read: (unknown: ParseOptions["unknown"]) => T,
): T {
  const handling = readHandling(request.headers.prefer);
  if (handling !== undefined) context.addHeader("preference-applied", `handling=${handling}`);
  const result = read(handling === "strict" ? "reject" : "ignore");
  if (result.unknown.length > 0) context.addHeader("warning", warningOf(result.unknown));
  return result;
}

/** Fields that a warning names, and the length of a name: headers are bounded. */
const MAX_NAMED_FIELDS = 10;
const MAX_NAME_LENGTH = 100;

/** Characters that cannot be in the quoted text of a header without escapes. */
const UNSAFE = /[^ !#-[\]-~]/gu;

/**
 * The header `Warning` for ignored fields (RFC 7234, section 5.5): one warning for each, and one for those beyond the
 * first few.
 *
 * @example warningOf(["expireTime"]) // 299 - "unknown field expireTime"
 */
export function warningOf(unknown: readonly string[]): string {
  const names = unknown.slice(0, MAX_NAMED_FIELDS).map((name) => {
    const truncated = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}...` : name;
    return `unknown field ${truncated.replace(UNSAFE, "?")}`;
  });
  const others = unknown.length - names.length;
  if (others > 0) names.push(`${others} more unknown fields`);
  return names.map((text) => `299 - "${text}"`).join(", ");
}
