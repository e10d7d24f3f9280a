import type { Settings } from "../../settings.ts";

/** The hosts of our registries: those of platform.registry, separated by commas, else the API's. */
export function registriesOf({ registry }: Pick<Settings, "registry">): string[] {
  return registry
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean);
}

/**
 * The registry that an address belongs to, as docker writes addresses: with or without a scheme and
 * a path. Hosts below a registry's are its own.
 */
export function registryOf(address: string, registries: readonly string[]): string | undefined {
  const host = hostOf(address);
  if (host === undefined) return undefined;
  return registries.find((registry) => host === registry || host.endsWith(`.${registry}`));
}

function hostOf(address: string): string | undefined {
  const text = address.trim();
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  // The port that goes without saying is not part of a registry's name.
  return url.host;
}
