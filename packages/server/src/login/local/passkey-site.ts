import { isIP } from "node:net";
import { isLoopbackHost } from "../../lib/ip-ranges.ts";

/** Where passkeys are made and used: they are bound to a name, and browsers hold them to it. */
export interface PasskeySite {
  /** The name that they are bound to. */
  readonly rpId: string;
  /** The one origin whose pages may use them. */
  readonly origin: string;
}

/**
 * The site that belongs to the auth URL; undefined at an IP address, where there are no passkeys.
 * This machine has a name for itself, so its own addresses are no obstacle.
 */
export function passkeySite(authUrl: string): PasskeySite | undefined {
  const { hostname, origin } = new URL(browserUrl(authUrl));
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return undefined;
  return { rpId: hostname, origin };
}

/** The auth URL as people should open it: by name where it is an address of this machine. */
export function browserUrl(authUrl: string): string {
  const url = new URL(authUrl);
  if (isLoopbackHost(url.hostname)) url.hostname = "localhost";
  return url.href.replace(/\/+$/, "");
}
