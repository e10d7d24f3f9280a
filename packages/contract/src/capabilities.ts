/** The capabilities of the contract and their dotted names. */
import type { DescEnumValue } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  bit,
  Capability,
  CapabilitySchema,
  internal_only,
  name,
} from "../gen/wharf/capabilities/capabilities_pb.js";

export { Capability, CapabilitySchema };

interface Options {
  readonly number: Capability;
  readonly name: string;
  readonly bit: number;
  readonly internalOnly: boolean;
}

/** Decodes the options of a value from their bytes: getOption for each would take 10% of the startup time. */
function optionsOf({ number, proto }: DescEnumValue): Options {
  const found = { number, name: "", bit: 0, internalOnly: false };
  for (const { no, data } of proto.options?.$unknown ?? []) {
    const reader = new BinaryReader(data);
    if (no === name.number) found.name = reader.string();
    else if (no === bit.number) found.bit = reader.uint32();
    else if (no === internal_only.number) found.internalOnly = reader.bool();
  }
  return found;
}

const VALUES: readonly Options[] = CapabilitySchema.values
  .filter((value) => value.number !== Capability.UNKNOWN)
  .map(optionsOf)
  .sort((a, b) => a.number - b.number);

const NAMES = new Map(VALUES.map((value) => [value.number, value.name]));
const BY_NAME = new Map(VALUES.map((value) => [value.name, value.number]));
const INTERNAL = new Set(VALUES.filter((value) => value.internalOnly).map((value) => value.number));
const BITS = new Map(VALUES.map((value) => [value.number, value.bit]));

/** Every capability except UNKNOWN, sorted by number. */
export const ALL_CAPABILITIES: readonly Capability[] = Object.freeze(
  VALUES.map((value) => value.number),
);

/**
 * The dotted name of a capability, as in version 1 and in the `cap` parameters of tokens. The number, if the capability
 * is unknown.
 *
 * @example capabilityName(Capability.CAP_IAM_GROUPS_LIST) // "groups.list"
 */
export function capabilityName(capability: Capability): string {
  return NAMES.get(capability) ?? String(capability);
}

/**
 * The capability with a dotted name. Enum names such as `CAP_IAM_GROUPS_LIST` are not accepted.
 *
 * @example capabilityFromName("groups.list") // Capability.CAP_IAM_GROUPS_LIST
 */
export function capabilityFromName(dotted: string): Capability | undefined {
  return BY_NAME.get(dotted);
}

/**
 * Whether the capability is reserved for services of the installation.
 *
 * @example isInternalOnly(Capability.CAP_REPO_INTERNAL_ADMIN) // true
 */
export function isInternalOnly(capability: Capability): boolean {
  return INTERNAL.has(capability);
}

/** The last words of capabilities that change nothing; a conversion returns its result and stores nothing. */
const READING = new Set(["list", "get", "read", "convert", "migrate"]);

/**
 * Whether the capability only reads. One with an unknown verb does not.
 *
 * @example isReadOnly(Capability.CAP_IAM_GROUPS_LIST) // true
 */
export function isReadOnly(capability: Capability): boolean {
  return READING.has(capabilityName(capability).split(".").at(-1) ?? "");
}

/** Numbers that the public contract does not have begin here. */
const FIRST_OWN = 20_001;

/**
 * Whether a capability is one of our own, which the public contract does not have.
 *
 * @example isOwnCapability(Capability.CAP_AUDIT_LIST) // true
 */
export function isOwnCapability(capability: Capability): boolean {
  return capability >= FIRST_OWN;
}

/**
 * The bit of a capability in the capability sets of tokens; 0, which is never assigned, for unknown capabilities.
 *
 * @example capabilityBit(Capability.CAP_IAM_GROUPS_LIST) // 3
 */
export function capabilityBit(capability: Capability): number {
  return BITS.get(capability) ?? 0;
}
