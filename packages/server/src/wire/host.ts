/**
 * The host that a request is for. There must be one only, so that this server and whatever stands
 * before it cannot take a request for two different ones; and a server that listens on a loopback
 * address answers to its own names alone: a page of another site could otherwise reach it by a DNS
 * name that is made to lead to this machine (DNS rebinding).
 */
import type { IncomingHttpHeaders } from "node:http";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { invalidArgument } from "../lib/errors.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { HttpFault } from "./http.ts";

/** Accepted hosts kept as they came, so that each request costs one look-up. */
const MAX_KNOWN = 100;

/** A request as far as its host is concerned. */
export interface HostedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Names and values as they came over HTTP/1. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
  readonly url?: string | undefined;
}

/** The names that a server on a loopback address answers to. */
export class LoopbackHosts {
  readonly #names: ReadonlySet<string>;
  readonly #known = new BoundedCache<string, true>({ maxEntries: MAX_KNOWN });

  /** @example new LoopbackHosts(["wharf.example.com", "registry.example.com:5000"]) */
  constructor(hosts: readonly string[]) {
    this.#names = new Set(hosts.map(nameOf));
  }

  accepts(host: string): boolean {
    if (this.#known.get(host)) return true;
    const name = nameOf(host);
    const isOurs = isLoopbackHost(name) || name.endsWith(".localhost") || this.#names.has(name);
    if (isOurs) this.#known.set(host, true);
    return isOurs;
  }
}

/**
 * What is wrong with the host of a request; undefined when nothing is.
 *
 * @example const fault = hostFault(wire.hosts, request);
 */
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
  const description = `this server listens on a loopback address and does not answer to the host ${JSON.stringify(named)}: call it as localhost, or set --base-url`;
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

/** The authority of a target in the absolute form that proxies are sent. */
function authorityOf(url: string): string | undefined {
  if (url.startsWith("/")) return undefined;
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
}

function isSame(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase();
}

/** A host without its port, in the one way to write it. */
function nameOf(host: string): string {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return name.startsWith("[") ? name : name.replace(/\.$/, "");
}

function malformed(what: string): HttpFault {
  return fault(`the request ${what}`, 400);
}

/** A proxy that is confused about the host may be confused about more: nothing follows. */
function fault(description: string, status: number): HttpFault {
  const error = invalidArgument({ field: "", description });
  return new HttpFault(error, status, { connection: "close" });
}
