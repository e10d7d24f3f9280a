import {
  ALL_CAPABILITIES,
  Capability,
  capabilityFromName,
  capabilityName,
  isInternalOnly,
} from "@wharf/contract";
import { didYouMean } from "../command/suggest.ts";
import { usageError } from "../errors.ts";

/** Capabilities that people can be given. */
export const CAPABILITIES: readonly Capability[] = ALL_CAPABILITIES.filter(
  (capability) => !isInternalOnly(capability),
);

/** The capabilities that names stand for: `repo.list`, or as the contract has it, CAP_REPO_LIST. */
export function readCapabilities(source: string, names: readonly string[]): Capability[] {
  return [...new Set(names.map((name) => readCapability(source, name)))];
}

export function readCapability(source: string, name: string): Capability {
  const byEnum = Object.hasOwn(Capability, name) ? Capability[name as keyof typeof Capability] : 0;
  const found = capabilityFromName(name) ?? byEnum;
  if (typeof found === "number" && found !== Capability.UNKNOWN) return found;
  throw usageError(
    `${source}: there is no capability "${name}"`,
    didYouMean(name, CAPABILITIES.map(capabilityName)) ??
      "`wharf iam roles capabilities list` shows what there is",
  );
}

/** Their names, in the order of the alphabet. */
export function namesOf(capabilities: readonly Capability[]): string[] {
  return capabilities.map(capabilityName).sort();
}
