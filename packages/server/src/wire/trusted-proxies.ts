/** Whose address a request comes from, where proxies stand between the client and this server. */
import { BlockList, isIP, SocketAddress } from "node:net";

/** Addresses that begin alike; a single one where all of its bits count. */
export interface AddressRange {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly prefix: number;
}

/** No path to us is that long. What is beyond is not looked at. */
const MOST_PROXIES = 32;

/** The longest way to write an address: IPv6 that ends as IPv4, in brackets, with a port. */
const LONGEST_ENTRY = 53;

/** How a socket that takes both families tells of an IPv4 address. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/;

/** With a port: an IPv4 address, or one of IPv6 in brackets, which may stand there without one. */
const WITH_PORT = /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[^\]]+)\](?::\d{1,5})?)$/;

/**
 * Reads an address or a range of addresses; undefined if it is neither. That of all addresses is
 * none: whoever is trusted may say any address, and that would be everyone.
 */
export function readRange(text: string): AddressRange | undefined {
  const [, address = "", bits] = /^([\da-fA-F.:]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  if (version === 0 || prefix > most) return undefined;
  return { address, family: version === 4 ? "ipv4" : "ipv6", prefix };
}

/** The proxies whose word on where a request comes from counts. */
export class TrustedProxies {
  readonly #ranges = new BlockList();

  constructor(ranges: readonly AddressRange[]) {
    for (const { address, prefix, family } of ranges) {
      this.#ranges.addSubnet(address, prefix, family);
    }
  }

  /** Whether an address is a trusted proxy's. */
  includes(address: string): boolean {
    const found = addressOf(address);
    return found !== undefined && this.#ranges.check(found);
  }

  /**
   * The address of the client: the last in `X-Forwarded-For` that is not a trusted proxy's, each
   * proxy having added whom it heard from at the end. What stands before that one is the client's
   * own word and not looked at. Where an entry is no address, it is the proxy that added it.
   */
  clientOf(peer: string, forwarded: string | undefined): string {
    const heardFrom = addressOf(peer);
    if (heardFrom === undefined) return peer;
    let client = heardFrom;
    if (forwarded === undefined || !this.#ranges.check(client)) return client.address;
    for (const entry of forwarded.split(",").slice(-MOST_PROXIES).reverse()) {
      const next = addressIn(entry.trim());
      if (next === undefined) break;
      client = next;
      if (!this.#ranges.check(client)) break;
    }
    return client.address;
  }
}

function addressIn(entry: string): SocketAddress | undefined {
  if (entry.length > LONGEST_ENTRY) return undefined;
  const { v4, v6 } = WITH_PORT.exec(entry)?.groups ?? {};
  if (v6 !== undefined && isIP(v6) !== 6) return undefined;
  return addressOf(v4 ?? v6 ?? entry);
}

/** An address in the one way that it is written; names of interfaces fall away. */
function addressOf(text: string): SocketAddress | undefined {
  const version = isIP(text);
  if (version === 0) return undefined;
  const found = new SocketAddress({ address: text, family: version === 4 ? "ipv4" : "ipv6" });
  if (version === 4 || !MAPPED.test(found.address)) return found;
  return new SocketAddress({ address: found.address.replace(MAPPED, ""), family: "ipv4" });
}
