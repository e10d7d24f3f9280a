/** Determines the address of a client behind trusted proxies. */
import { BlockList, isIP, SocketAddress } from "node:net";
import type { AddressRange } from "../../lib/net/address-range.ts";

/** Entries of `X-Forwarded-For` beyond this are ignored. */
const MAX_PROXIES = 32;

/** The longest form: an IPv4-mapped IPv6 address in brackets, with a port. */
const MAX_ENTRY_LENGTH = 53;

/** IPv4-mapped IPv6 addresses, as dual-stack sockets report IPv4 clients. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/;

/** An IPv4 address with a port, or an IPv6 address in brackets with or without one. */
const WITH_PORT = /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[^\]]+)\](?::\d{1,5})?)$/;

/** The proxies whose `X-Forwarded-For` is trusted. */
export class TrustedProxies {
  readonly #ranges = new BlockList();

  constructor(ranges: readonly AddressRange[]) {
    for (const { address, prefix, family } of ranges) {
      this.#ranges.addSubnet(address, prefix, family);
    }
  }

  /** Whether an address is one of a trusted proxy. */
  includes(address: string): boolean {
    const found = addressOf(address);
    return found !== undefined && this.#ranges.check(found);
  }

  /**
   * The address of the client: the last entry of `X-Forwarded-For` that is not a trusted proxy. Each proxy appends
   * the address of its peer; earlier entries are under the control of the client and ignored. If an entry is
   * not an address, the client is the proxy that appended it.
   */
  clientOf(peer: string, forwarded: string | undefined): string {
    const peerAddress = addressOf(peer);
    if (peerAddress === undefined) return peer;
    let client = peerAddress;
    if (forwarded === undefined || !this.#ranges.check(client)) return client.address;
    for (const entry of forwarded.split(",").slice(-MAX_PROXIES).reverse()) {
      const next = addressIn(entry.trim());
      if (next === undefined) break;
      client = next;
      if (!this.#ranges.check(client)) break;
    }
    return client.address;
  }
}

function addressIn(entry: string): SocketAddress | undefined {
  if (entry.length > MAX_ENTRY_LENGTH) return undefined;
  const { v4, v6 } = WITH_PORT.exec(entry)?.groups ?? {};
  if (v6 !== undefined && isIP(v6) !== 6) return undefined;
  return addressOf(v4 ?? v6 ?? entry);
}

/** Normalizes an address. IPv6 zone IDs are dropped. */
function addressOf(text: string): SocketAddress | undefined {
  const version = isIP(text);
  if (version === 0) return undefined;
  const found = new SocketAddress({ address: text, family: version === 4 ? "ipv4" : "ipv6" });
  if (version === 4 || !MAPPED.test(found.address)) return found;
  return new SocketAddress({ address: found.address.replace(MAPPED, ""), family: "ipv4" });
}
