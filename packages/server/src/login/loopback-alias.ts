import { isLoopbackHost } from "../lib/ip-ranges.ts";
import type { HttpRequest } from "../wire/endpoint.ts";

/**
 * The origin that a browser is at, where it has opened this machine by another name than that of the
 * auth URL; otherwise undefined. Browsers keep cookies by host, so a login that begins at localhost
 * must end there, and people begin there because passkeys need a name.
 */
export function loopbackAlias({ headers }: HttpRequest, authUrl: string): string | undefined {
  const own = new URL(authUrl);
  const opened = URL.parse(`${own.protocol}//${headers.host}`);
  if (opened === null || opened.host === own.host || opened.port !== own.port) return undefined;
  const isThisMachine = isLoopbackHost(own.hostname) && isLoopbackHost(opened.hostname);
  return isThisMachine ? opened.origin : undefined;
}
