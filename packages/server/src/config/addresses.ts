import { isLoopbackHost } from "../lib/ip-ranges.ts";
import type { Store } from "../store/db/store.ts";
import { readInstallation, writeInstallation } from "../store/tables/installation.ts";
import type { Settings } from "./settings.ts";

/** Under which addresses clients know this installation. Tokens name both. */
export interface Addresses {
  /** Whom tokens are meant for. */
  readonly baseUrl: string;
  /** Who issues them. */
  readonly authUrl: string;
}

/** The addresses of a server that listens at a URL. */
export function addressesOf({ baseUrl, authUrl }: Settings, listening: string): Addresses {
  const base = baseUrl || listening;
  return { baseUrl: base, authUrl: authUrl || base };
}

/**
 * Whether only this machine can reach a server with these settings. One that listens on this machine
 * and has an address elsewhere is behind a proxy, which others can reach.
 */
export function servesThisMachineOnly({
  listen,
  baseUrl,
  authUrl,
}: Pick<Settings, "listen" | "baseUrl" | "authUrl">): boolean {
  const named = [baseUrl, authUrl].filter((url) => url !== "").map((url) => new URL(url).hostname);
  return [listen.host, ...named].every(isLoopbackHost);
}

/** The hosts, some with ports, that clients call a server by with these settings. */
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

/** Leaves the addresses in the store, so that admin commands sign tokens that the server takes. */
export async function publishAddresses(store: Store, addresses: Addresses): Promise<void> {
  await writeInstallation(store, "addresses", JSON.stringify(addresses));
}

/** The addresses that the server last started with, unless the settings name others. */
export async function knownAddresses(store: Store, settings: Settings): Promise<Addresses> {
  const kept = await readInstallation(store.reader, "addresses");
  const { host, port } = settings.listen;
  const fallback = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const last =
    kept === undefined ? addressesOf(settings, fallback) : (JSON.parse(kept) as Addresses);
  return { baseUrl: settings.baseUrl || last.baseUrl, authUrl: settings.authUrl || last.authUrl };
}
