/** The client networks that limits count. */
import { isIP, SocketAddress } from "node:net";

/**
 * IPv4 addresses written as IPv6: by a dual-stack socket (RFC 4291) and by translators (RFC 6052). All
 * of them lie in one /64.
 */
const EMBEDDED_V4 = ["0:0:0:0:0:ffff", "64:ff9b:0:0:0:0"];

/** Hextets of the network prefix: a subscriber gets a /64 or more. */
const NETWORK_HEXTETS = 4;

/**
 * The rate-limit key of an address: an IPv4 address itself, the /64 of an IPv6 address, since one client
 * can use any address in it. Other texts are their own key.
 */
export function clientNetwork(address: string): string {
  const normalized = addressOf(address);
  if (typeof normalized === "string") return normalized;
  return `${normalized.slice(0, NETWORK_HEXTETS).join(":")}::/64`;
}

/**
 * The network that a site usually has: the /24 of an IPv4 address, the /56 of an IPv6 address. Other texts are their
 * own network.
 */
export function wideClientNetwork(address: string): string {
  const normalized = addressOf(address);
  if (typeof normalized !== "string") {
    const [first, second, third, fourth = "0"] = normalized;
    const subnet = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
    return `${first}:${second}:${third}:${subnet}::/56`;
  }
  return isIP(normalized) === 4
    ? `${normalized.slice(0, normalized.lastIndexOf("."))}.0/24`
    : normalized;
}

/** The groups of an IPv6 address; an IPv4 address, or another text, as it is. */
function addressOf(address: string): string | readonly string[] {
  if (!address.includes(":")) return address;
  // Zone identifiers name an interface of ours, not the client.
  const [bare = ""] = address.split("%", 1);
  if (isIP(bare) !== 6) return address;
  const hextets = hextetsOf(new SocketAddress({ address: bare, family: "ipv6" }).address);
  return EMBEDDED_V4.includes(hextets.slice(0, 6).join(":")) ? embeddedV4(hextets) : hextets;
}

/** All eight groups of an address in canonical form (RFC 5952), which may end as IPv4. */
function hextetsOf(canonical: string): string[] {
  const [head = "", tail] = canonical.split("::").map((half) => half.split(":").flatMap(groupsOf));
  if (tail === undefined) return head as string[];
  const missing = 8 - head.length - tail.length;
  return [...head, ...Array<string>(missing).fill("0"), ...tail];
}

function groupsOf(group: string): string[] {
  if (group === "") return [];
  if (!group.includes(".")) return [group];
  const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

function embeddedV4(hextets: readonly string[]): string {
  const bytes = hextets.slice(6).flatMap((hextet) => {
    const number = Number.parseInt(hextet, 16);
    return [number >> 8, number & 255];
  });
  return bytes.join(".");
}
