import { unauthenticated } from "./errors.ts";

/** The bearer token of a call that takes one to work on, not only to know who is calling. */
export function bearerToken(authorization: string | undefined, what: string): string {
  const [scheme, token] = (authorization ?? "").split(" ");
  if (scheme?.toLowerCase() === "bearer" && token) return token;
  throw unauthenticated(`${what} must be the bearer token`);
}
