/**
 * What a caller can be allowed to do: the capabilities of the contract under their dotted names.
 */
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

/**
 * Reads the three options of a value from their bytes. Asking for hundreds of options one by one
 * takes a tenth of the time that a server needs to start.
 */
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

/** Every capability but UNKNOWN, by number. */
export const ALL_CAPABILITIES: readonly Capability[] = Object.freeze(
  VALUES.map((value) => value.number),
);

/**
 * The dotted name of a capability, as version 1, tokens' `cap` parameters and people write it.
 * What is not a capability of this contract is shown as its number.
 *
 * @example capabilityName(Capability.CAP_IAM_GROUPS_LIST) // "groups.list"
 */
export function capabilityName(capability: Capability): string {
  return NAMES.get(capability) ?? String(capability);
}

/**
 * The capability with a dotted name. Enum names such as `CAP_IAM_GROUPS_LIST` are not looked up.
 *
 * @example capabilityFromName("groups.list") // Capability.CAP_IAM_GROUPS_LIST
 */
export function capabilityFromName(dotted: string): Capability | undefined {
  return BY_NAME.get(dotted);
}

/**
 * Whether only services of the installation itself may hold the capability.
 *
 * @example isInternalOnly(Capability.CAP_REPO_INTERNAL_ADMIN) // true
 */
export function isInternalOnly(capability: Capability): boolean {
  return INTERNAL.has(capability);
}

/**
 * The place of a capability in the bit sets of tokens; 0, which is never given away, for anything
 * that is not a capability of this contract.
 *
 * @example capabilityBit(Capability.CAP_IAM_GROUPS_LIST) // 3
 */
export function capabilityBit(capability: Capability): number {
  return BITS.get(capability) ?? 0;
}
