import { sign } from "node:crypto";
import type { JWTPayload } from "jose";
import { algorithmOf } from "./algorithms.ts";
import type { SigningKey } from "./keys.ts";

/**
 * Signs a JWT with node:crypto. jose signs through WebCrypto, which took 2.2 times the CPU time in a
 * microbenchmark; `npm run bench -- --only exchange` compares whole exchanges. Tokens are verified by
 * jose.
 */
export function signJwt(
  { kid, privateKey }: Pick<SigningKey, "kid" | "privateKey">,
  claims: JWTPayload,
  more: { readonly x5c?: readonly string[] } = {},
): string {
  const header = { alg: algorithmOf(privateKey), kid, typ: "JWT", ...more };
  const content = `${encoded(header)}.${encoded(claims)}`;
  // JWS has the two halves of an ECDSA signature as they are (RFC 7518, 3.4); OpenSSL's default is DER. An
  // RSA key ignores it, and its default padding is the one of RS256.
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  return `${content}.${sign("sha256", Buffer.from(content), key).toString("base64url")}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
