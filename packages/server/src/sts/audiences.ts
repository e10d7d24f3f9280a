import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import { invalidArgument } from "../lib/errors.ts";

/**
 * The registries that we decide access for, by their hosts. The first is meant where none is named.
 */
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

/**
 * Whom a token is to be meant for. Only what this installation speaks for can be asked for: a
 * token that opens another's door is not ours to give.
 */
export function readAudiences(
  asked: readonly string[],
  settings: Settings,
  { baseUrl, authUrl }: Addresses,
): string[] {
  const audiences = [
    ...new Set(asked.flatMap((text) => text.split(",")).map((text) => text.replace(/\/+$/, ""))),
  ];
  const wanted = audiences.filter((audience) => audience !== "");
  if (wanted.length === 0)
    throw invalidArgument({ field: "aud", description: "Audience must be specified" });
  const known = [baseUrl, authUrl, ...settings.audiences, ...registryHosts(settings, baseUrl)];
  const foreign = wanted.find((audience) => !known.includes(audience));
  if (foreign !== undefined) {
    throw invalidArgument({
      field: "aud",
      description: `${JSON.stringify(foreign)} is not an audience of this installation`,
    });
  }
  return wanted;
}
