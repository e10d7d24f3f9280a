import type { Naming } from "@wharf/advisories/publish";
import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import { registryHosts } from "../sts/audiences.ts";

export interface NamingDeps {
  readonly settings: Settings;
  addresses(): Addresses;
}

/** The distributions and the registry host by which other tools identify packages and images. */
export function namingOf({ settings, addresses }: NamingDeps): Naming {
  const [registry] = registryHosts(settings, addresses().baseUrl) as [string, ...string[]];
  return { distributions: settings.feedDistributions, registry };
}
