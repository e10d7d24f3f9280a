import { isLoopbackHost } from "../lib/net/loopback.ts";
import type { Store } from "../store/db/store.ts";
import { readInstallation, writeInstallation } from "../store/tables/installation.ts";
import type { Settings } from "./settings.ts";

/** The URLs of this installation, as clients see them. Tokens contain both. */
export interface Addresses {
  /** The audience of tokens. */
  readonly baseUrl: string;
  /** The issuer of tokens. */
  readonly authUrl: string;
}

/** The addresses of a server that listens at a URL. */
export function addressesOf({ baseUrl, authUrl }: Settings, listening: string): Addresses {
  const base = baseUrl || listening;
  return { baseUrl: base, authUrl: authUrl || base };
}

/**
 * Whether the server is reachable from this machine only. One that listens on a loopback address but has
 * another public URL is behind a proxy.
 */
export function servesThisMachineOnly({
  listen,
  baseUrl,
  authUrl,
}: Pick<Settings, "listen" | "baseUrl" | "authUrl">): boolean {
  const named = [baseUrl, authUrl].filter((url) => url !== "").map((url) => new URL(url).hostname);
  return [listen.host, ...named].every(isLoopbackHost);
}

/** The hosts of the server, some with ports, as clients name them. */
export function hostsOf({
  baseUrl,
  authUrl,
  registryHost,
  registries,
}: Pick<Settings, "baseUrl" | "authUrl" | "registryHost" | "registries">): string[] {
  const urls = [baseUrl, authUrl].filter((url) => url !== "");
  const hosts = [registryHost, ...registries].filter((host) => host !== "");
  return [...urls.map((url) => new URL(url).host), ...hosts];
}

/** Stores the addresses, so that admin commands issue tokens with the same issuer and audience. */
export async function publishAddresses(store: Store, addresses: Addresses): Promise<void> {
  await writeInstallation(store, "addresses", JSON.stringify(addresses));
}

/** The addresses that the server last started with, unless the settings override them. */
export async function knownAddresses(store: Store, settings: Settings): Promise<Addresses> {
  const stored = await readInstallation(store.reader, "addresses");
  const { host, port } = settings.listen;
  const fallback = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const last =
    stored === undefined ? addressesOf(settings, fallback) : (JSON.parse(stored) as Addresses);
  return { baseUrl: settings.baseUrl || last.baseUrl, authUrl: settings.authUrl || last.authUrl };
}
