import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { NameFiles } from "../name-files.ts";
import { KeyedSemaphore } from "../scheduling/semaphore.ts";
import { DnsClient, type DnsOptions, lookupError, withFamily } from "./dns-client.ts";
import { isPublicAddress } from "./ip-ranges.ts";
import { isLoopbackHost } from "./loopback.ts";

/** The system's own lookup takes one of the four threads that also hash passwords. */
const SYSTEM_LOOKUPS = 1;
const MAX_WAITING_SYSTEM_LOOKUPS = 100;

export interface HostLookupOptions extends DnsOptions {
  readonly files?: NameFiles;
}

/** Resolves the names of hosts that requests are sent to. Lookups wait without a thread, and none delays another. */
export interface HostLookup {
  /**
   * Of users: fails unless all addresses are public. The connection uses the resolved address, so the name cannot
   * resolve to another one in between (DNS rebinding).
   */
  readonly publicOnly: LookupFunction;
  /** Of operators: may be known to this machine only. */
  readonly anywhere: LookupFunction;
}

/**
 * Looks names up as the system does: in the hosts file, and then by DNS in its search domains. The system itself would
 * use a thread for each lookup, and a name whose server never answers would keep it for many seconds. It is only asked
 * for what DNS cannot know (mDNS and other sources of nsswitch.conf), never after a name server that does not answer.
 */
export function hostLookup(options: HostLookupOptions = {}): HostLookup {
  const { files = new NameFiles() } = options;
  const dns = new DnsClient(files, options);
  const system = new SystemClient();
  const resolve = async (name: string, isOwn: boolean): Promise<readonly LookupAddress[]> => {
    const local = files.addressesOf(name);
    if (local.length > 0) return local.map(withFamily);
    if (isLoopbackHost(name)) return ["127.0.0.1", "::1"].map(withFamily);
    try {
      return await dns.resolve(name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ECONNREFUSED" || (isOwn && code === "ENOTFOUND")) return system.resolve(name);
      throw error;
    }
  };
  return {
    publicOnly: lookupFunction(async (name) => {
      const addresses = await resolve(name, false);
      if (addresses.every(({ address }) => isPublicAddress(address))) return addresses;
      throw new Error("the name resolves to an address that is not public");
    }),
    anywhere: lookupFunction((name) => resolve(name, true)),
  };
}

function lookupFunction(
  resolve: (name: string) => Promise<readonly LookupAddress[]>,
): LookupFunction {
  return (name, { all, family = 0 }, callback) => {
    const wanted = Number(String(family).replace("IPv", ""));
    const isWanted = (one: LookupAddress) => wanted === 0 || one.family === wanted;
    resolve(name).then(
      (addresses) => {
        const usable = addresses.filter(isWanted);
        const [first] = usable;
        if (first === undefined) callback(lookupError("ENOTFOUND", name), "");
        else if (all) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

/** The lookup of the C library, on few threads. */
class SystemClient {
  readonly #permits = new KeyedSemaphore({
    perKey: SYSTEM_LOOKUPS,
    maxQueued: MAX_WAITING_SYSTEM_LOOKUPS,
    rejection: () => lookupError("EAI_AGAIN", "too many names"),
  });

  resolve(name: string): Promise<readonly LookupAddress[]> {
    return this.#permits.run("", () => {
      return new Promise((resolve, reject) => {
        systemLookup(name, { all: true }, (error, addresses) => {
          if (error) reject(error);
          else resolve(addresses);
        });
      });
    });
  }
}

/** The lookup of this machine. */
export const HOST_LOOKUP: HostLookup = hostLookup();
