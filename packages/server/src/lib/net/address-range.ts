import { isIP } from "node:net";

/** A CIDR range; a single address has the full prefix length. */
export interface AddressRange {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly prefix: number;
}

/**
 * Parses an address or a CIDR range; undefined if it is neither. A prefix of 0 is rejected: trusting all addresses
 * would let every client choose its own.
 */
export function readRange(text: string): AddressRange | undefined {
  const [, address = "", bits] = /^([\da-fA-F.:]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const maxPrefix = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? maxPrefix : Number(bits);
  if (version === 0 || prefix > maxPrefix) return undefined;
  return { address, family: version === 4 ? "ipv4" : "ipv6", prefix };
}
