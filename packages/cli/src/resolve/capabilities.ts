import {
  ALL_CAPABILITIES,
  Capability,
  capabilityFromName,
  capabilityName,
  isInternalOnly,
} from "@wharf/contract";
import { didYouMean } from "../command/suggest.ts";
import { usageError } from "../errors.ts";

/** Capabilities that roles can contain. */
export const ASSIGNABLE_CAPABILITIES: readonly Capability[] = ALL_CAPABILITIES.filter(
  (capability) => !isInternalOnly(capability),
);

/** Parses capability names and removes duplicates. */
export function readCapabilities(source: string, names: readonly string[]): Capability[] {
  return [...new Set(names.map((name) => readCapability(source, name)))];
}

/** Accepts `repo.list`, and CAP_REPO_LIST as the contract spells it. */
export function readCapability(source: string, name: string): Capability {
  const byEnum = Object.hasOwn(Capability, name) ? Capability[name as keyof typeof Capability] : 0;
  const found = capabilityFromName(name) ?? byEnum;
  if (typeof found === "number" && found !== Capability.UNKNOWN) return found;
  throw usageError(
    `${source}: unknown capability "${name}"`,
    didYouMean(name, ASSIGNABLE_CAPABILITIES.map(capabilityName)) ??
      "`wharf iam roles capabilities list` lists all capabilities",
  );
}

/** Sorted names. */
export function capabilityNames(capabilities: readonly Capability[]): string[] {
  return capabilities.map(capabilityName).sort();
}
