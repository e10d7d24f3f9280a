import { unauthenticated } from "./errors.ts";

const SCHEME = "bearer ";

/** A JWT in compact form: three parts in base64url. */
const COMPACT_JWT = /^ *([\w-]+\.[\w-]+\.[\w-]+) *$/;

/**
 * The token of an `Authorization: Bearer` header (RFC 6750), or undefined if the header is missing, empty or
 * has another scheme. The scheme is case-insensitive; spaces around the token are not part of it. A JWT is also
 * accepted without a scheme: examples of existing Go clients send it so, and no scheme has this form.
 */
export function readBearer(authorization: string | undefined): string | undefined {
  if (authorization?.slice(0, SCHEME.length).toLowerCase() !== SCHEME) {
    return COMPACT_JWT.exec(authorization ?? "")?.[1];
  }
  let start = SCHEME.length;
  let end = authorization.length;
  while (authorization[start] === " ") start += 1;
  while (end > start && authorization[end - 1] === " ") end -= 1;
  return end > start ? authorization.slice(start, end) : undefined;
}

/** The bearer token that a method works on. Throws UNAUTHENTICATED if there is none; `what` names it. */
export function requireBearer(authorization: string | undefined, what: string): string {
  const token = readBearer(authorization);
  if (token === undefined) throw unauthenticated(`${what} must be the bearer token`);
  return token;
}
