import type { Naming } from "@wharf/advisories/publish";
import type { Engine } from "../engine/engine.ts";
import { registryHosts } from "../sts/audiences.ts";

/** What the packages and images of this installation are called elsewhere. */
export function namingOf({ settings, addresses }: Pick<Engine, "settings" | "addresses">): Naming {
  const [registry] = registryHosts(settings, addresses().baseUrl) as [string, ...string[]];
  return { distributions: settings.feedDistributions, registry };
}
