import type { InstallationJson } from "@wharf/contract/messages";
import { api, client, useRead } from "./client.ts";

/** The addresses of the installation; until they are loaded, the origin of the page. */
export interface Installation {
  readonly baseUrl: string;
  readonly authUrl: string;
  /** The audience that tokens of workloads need by default. */
  readonly audience: string;
  readonly redirectUri: string;
  readonly registry: string;
  readonly version: string;
  /** Whether the answer has arrived. */
  readonly isKnown: boolean;
}

export function useInstallation(): Installation {
  const { data } = useRead(api.installation.get, {});
  return { ...installationOf(data ?? {}), isKnown: data !== undefined };
}

/** Reads the addresses once, such as for an export. */
export async function readInstallation(): Promise<Omit<Installation, "isKnown">> {
  return installationOf(await client.call(api.installation.get, {}));
}

function installationOf({
  baseUrl = window.location.origin,
  authUrl = window.location.origin,
  redirectUri = `${authUrl}/oauth/callback`,
  registryHosts: [registry = window.location.host] = [],
  version = "",
}: InstallationJson): Omit<Installation, "isKnown"> {
  const audience = new URL(authUrl).hostname;
  return { baseUrl, authUrl, audience, redirectUri, registry, version };
}
