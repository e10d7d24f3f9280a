/**
 * Validates the host of requests. A request must name exactly one, so that this server and a proxy in front of it
 * cannot disagree about it. A server that listens on a loopback address accepts only its own names: pages of other
 * sites could reach it by a DNS name that resolves to this machine (DNS rebinding).
 */
import type { IncomingHttpHeaders } from "node:http";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { isLoopbackHost } from "../../lib/net/loopback.ts";
import { HttpFault } from "./http.ts";

/** Accepted hosts are cached as sent, so that each request costs one lookup. */
const MAX_CACHE_ENTRIES = 100;

/** The parts of a request that name its host. */
export interface HostedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Names and values in alternation; HTTP/1 only. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
  readonly url?: string | undefined;
}

/** The host names of a server that listens on a loopback address. */
export class LoopbackHosts {
  readonly #names: ReadonlySet<string>;
  readonly #accepted = new BoundedCache<string, true>({ maxEntries: MAX_CACHE_ENTRIES });

  constructor(hosts: readonly string[]) {
    this.#names = new Set(hosts.map(nameOf));
  }

  accepts(host: string): boolean {
    if (this.#accepted.get(host)) return true;
    const name = nameOf(host);
    const isOurs = isLoopbackHost(name) || name.endsWith(".localhost") || this.#names.has(name);
    if (isOurs) this.#accepted.set(host, true);
    return isOurs;
  }
}

/** Checks the host of a request; undefined if it is valid. */
export function hostFault(
  hosts: LoopbackHosts | undefined,
  { headers, rawHeaders, httpVersion, url = "" }: HostedRequest,
): HttpFault | undefined {
  const host = headers.host;
  if (host === undefined && httpVersion === "1.1") return malformed("has no Host header");
  if (hasTwoHosts(rawHeaders)) return malformed("has more than one Host header");
  const target = (headers[":authority"] as string | undefined) ?? authorityOf(url);
  if (target !== undefined && host !== undefined && !isSame(target, host))
    return malformed(`names two hosts, ${JSON.stringify(target)} and ${JSON.stringify(host)}`);
  const named = target ?? host;
  if (hosts === undefined || named === undefined || hosts.accepts(named)) return undefined;
  const description = `host ${JSON.stringify(named)} is not allowed, because the server listens on a loopback address: call it as localhost, or set --base-url`;
  return fault(description, 421);
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}

/** The authority of a request target in absolute form (RFC 9112). */
function authorityOf(url: string): string | undefined {
  if (url.startsWith("/")) return undefined;
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
}

function isSame(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase();
}

/** A host without its port, normalized. */
function nameOf(host: string): string {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return name.startsWith("[") ? name : name.replace(/\.$/, "");
}

function malformed(what: string): HttpFault {
  return fault(`the request ${what}`, 400);
}

/** Closes the connection: a proxy that sends a wrong host may smuggle requests. */
function fault(description: string, status: number): HttpFault {
  const error = invalidArgument({ field: "", description });
  return new HttpFault(error, status, { connection: "close" });
}
