/** Longer than the issuer of any platform. */
const MAX_ISSUER_LENGTH = 1_024;

/** What an issuer must be, for messages. */
export const ISSUER_URL = "an issuer URL without query, fragment, user info or dot segments";

/** Scheme, host and path as they are written: parsers drop an empty query, and resolve backslashes. */
const SHAPE = /^https?:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/i;

/** Characters that separate or are dots once a server decodes them, however often that happens. */
const ENCODED_DOT = /%(?:25)*2e/gi;
const ENCODED_SLASH = /%(?:25)*(?:2f|5c)/gi;

/** A dot segment, also one with parameters, which some servers drop. */
const DOT_SEGMENT = /\/\.\.?(?=[/;]|$)/;

/**
 * Whether a text can name an issuer. Its discovery document is found by appending a path, so what is
 * appended must stay a path (no query, no fragment), and the path must lead where it says (no dot
 * segments): otherwise any document that a user can upload to a trusted host could speak for the host.
 */
export function isIssuerUrl(issuer: string): boolean {
  if (issuer.length > MAX_ISSUER_LENGTH) return false;
  const shape = SHAPE.exec(issuer);
  if (shape === null || URL.parse(issuer) === null) return false;
  const path = (shape[1] ?? "").replace(ENCODED_DOT, ".").replace(ENCODED_SLASH, "/");
  return !DOT_SEGMENT.test(path);
}
