/** Longer than the issuer of any platform. */
const MAX_ISSUER_LENGTH = 1_024;

/** The requirement, for error messages. */
export const ISSUER_URL = "an issuer URL without query, fragment, user info or dot segments";

/** Matched against the raw text: URL parsers drop an empty query and convert backslashes. */
const SHAPE = /^https?:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/i;

/** Percent-encoded dots and slashes, encoded once or several times. */
const ENCODED_DOT = /%(?:25)*2e/gi;
const ENCODED_SLASH = /%(?:25)*(?:2f|5c)/gi;

/** A dot segment, also one with parameters, which some servers drop. */
const DOT_SEGMENT = /\/\.\.?(?=[/;]|$)/;

/**
 * Whether a text is an issuer URL. The discovery document is found by appending a path, so the issuer must
 * have no query, no fragment and no dot segments: otherwise any document that a user can upload to a
 * trusted host could impersonate its issuer.
 */
export function isIssuerUrl(issuer: string): boolean {
  if (issuer.length > MAX_ISSUER_LENGTH) return false;
  const shape = SHAPE.exec(issuer);
  if (shape === null || URL.parse(issuer) === null) return false;
  const path = (shape[1] ?? "").replace(ENCODED_DOT, ".").replace(ENCODED_SLASH, "/");
  return !DOT_SEGMENT.test(path);
}
