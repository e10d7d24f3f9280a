import type { Naming } from "@wharf/advisories/publish";
import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import { registryHosts } from "../sts/audiences.ts";

export interface NamingDeps {
  readonly settings: Settings;
  addresses(): Addresses;
}

/**
 * What the packages and images of this installation are called elsewhere.
 *
 * @example namingOf(engine) // { distributions: ["wolfi"], registry: "registry.example.com" }
 */
export function namingOf({ settings, addresses }: NamingDeps): Naming {
  const [registry] = registryHosts(settings, addresses().baseUrl) as [string, ...string[]];
  return { distributions: settings.feedDistributions, registry };
}
