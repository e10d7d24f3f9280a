import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import { invalidArgument } from "../lib/errors.ts";

/** The hosts of the registries that this installation controls access to. The first is the default. */
export function registryHosts(
  {
    registryHost,
    registries,
    registryUrls,
  }: Pick<Settings, "registryHost" | "registries" | "registryUrls">,
  baseUrl: string,
): string[] {
  const first = registryHost || new URL(baseUrl).host;
  return [...new Set([first, ...registries, ...registryUrls.keys()])];
}

/** The host of the registry of this server: that of clients for it, unless another registry is attached there. */
export function ownService(
  settings: Pick<Settings, "registryHost" | "registries" | "registryUrls" | "registryStorage">,
  baseUrl: string,
): string | undefined {
  if (settings.registryStorage === undefined) return undefined;
  const hosts = registryHosts(settings, baseUrl);
  return hosts.find((host) => !settings.registryUrls.has(host)) ?? new URL(baseUrl).host;
}

/**
 * Validates the requested audiences of a token. Only audiences of this installation are allowed:
 * this server must not issue tokens for services that it does not know.
 */
export function readAudiences(
  requested: readonly string[],
  settings: Settings,
  { baseUrl, authUrl }: Addresses,
): string[] {
  const texts = requested.flatMap((text) => text.split(","));
  const unique = new Set(texts.map((text) => text.replace(/\/+$/, "")));
  const audiences = [...unique].filter((audience) => audience !== "");
  if (audiences.length === 0)
    throw invalidArgument({ field: "aud", description: "Audience must be specified" });
  const allowed = [baseUrl, authUrl, ...settings.audiences, ...registryHosts(settings, baseUrl)];
  const foreign = audiences.find((audience) => !allowed.includes(audience));
  if (foreign !== undefined) {
    const description = `${JSON.stringify(foreign)} is not an audience of this installation`;
    throw invalidArgument({ field: "aud", description });
  }
  return audiences;
}
