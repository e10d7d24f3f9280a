import { hash } from "node:crypto";
import { parseSignedRequest } from "./verify/aws-request.ts";

/**
 * What the audit log calls a token: a SHA-256 that all spellings of it share, as 64 hex characters.
 *
 * - Of a JWT: of its header and payload, which are what was signed. A signature can be rewritten by
 *   anyone who has the token (with ECDSA, `s` and `n − s` are both valid), its content cannot.
 * - Of a signed AWS request: of its signature, which covers everything that we rely on; the order and
 *   the spelling of headers are not signed.
 * - Of anything else: of the text.
 */
export function tokenDigest(token: string): string {
  return hash("sha256", identifyingPart(token), "hex");
}

function identifyingPart(token: string): string {
  const parts = token.split(".", 4);
  if (parts.length === 3) return `${parts[0]}.${parts[1]}`;
  if (parts.length > 1) return token;
  try {
    return parseSignedRequest(token).authorization.signature;
  } catch {
    return token;
  }
}
