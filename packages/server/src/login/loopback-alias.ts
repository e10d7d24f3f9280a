import { isLoopbackHost } from "../lib/net/loopback.ts";
import type { HttpRequest } from "../wire/endpoint.ts";

/**
 * The origin of a browser that reached this machine by another name than the auth URL's; otherwise
 * undefined. Browsers store cookies by host, so a sign-in that starts at localhost must end there.
 * People start there because passkeys need a host name.
 */
export function loopbackAlias({ headers }: HttpRequest, authUrl: string): string | undefined {
  const own = new URL(authUrl);
  const opened = URL.parse(`${own.protocol}//${headers.host}`);
  if (opened === null || opened.host === own.host || opened.port !== own.port) return undefined;
  const isThisMachine = isLoopbackHost(own.hostname) && isLoopbackHost(opened.hostname);
  return isThisMachine ? opened.origin : undefined;
}
