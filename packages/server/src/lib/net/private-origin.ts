import { isLoopbackHost } from "./loopback.ts";

/**
 * Whether a URL may be reached without TLS and at a private address: if the operator allows its origin, or if it is on
 * this machine and the server is reachable from this machine only.
 */
export function isPrivateOrigin(
  url: URL,
  allowed: readonly string[],
  onLoopback: boolean,
): boolean {
  if (onLoopback && isLoopbackHost(url.hostname)) return true;
  return allowed.some((each) => URL.parse(each)?.origin === url.origin);
}
