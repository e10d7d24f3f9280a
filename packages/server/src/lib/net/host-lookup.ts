import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { KeyedSemaphore } from "../scheduling/semaphore.ts";
import { isPublicAddress } from "./ip-ranges.ts";

/** Without an answer, a name server is asked again after this time, and then given up after twice that. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;

/** A lookup of the system takes one of the four threads that also hash passwords and access files. */
const SYSTEM_LOOKUPS = 2;
const MAX_QUEUED_SYSTEM_LOOKUPS = 100;

export interface HostLookupOptions {
  /** Name servers, as addresses with ports; by default those of resolv.conf. */
  readonly servers?: readonly string[];
  /** The first wait for a name server. */
  readonly timeoutMs?: number;
}

/** Resolves the names of hosts that requests are sent to. */
export interface HostLookup {
  /**
   * Of users: by DNS alone, without a thread, because some never resolve and must delay nobody. Fails unless all
   * addresses are public. The connection uses the resolved address, so the name cannot resolve to another one in between
   * (DNS rebinding).
   */
  readonly publicOnly: LookupFunction;
  /** Of operators: as the system does, with its hosts file, search domains and other sources of nsswitch.conf. */
  readonly anywhere: LookupFunction;
}

export function hostLookup(options: HostLookupOptions = {}): HostLookup {
  const permits = new KeyedSemaphore({
    perKey: SYSTEM_LOOKUPS,
    maxQueued: MAX_QUEUED_SYSTEM_LOOKUPS,
    rejection: () => lookupError("EAI_AGAIN", "too many names"),
  });
  return {
    publicOnly: lookupFunction(async (name) => {
      const addresses = await askNameServers(name, options);
      if (addresses.every(({ address }) => isPublicAddress(address))) return addresses;
      throw new Error("the name resolves to an address that is not public");
    }),
    anywhere: lookupFunction((name) => permits.run("", () => askSystem(name))),
  };
}

function lookupFunction(
  resolve: (name: string) => Promise<readonly LookupAddress[]>,
): LookupFunction {
  return (name, { all, family = 0 }, callback) => {
    const requestedFamily = Number(String(family).replace("IPv", ""));
    const isWanted = (one: LookupAddress) =>
      requestedFamily === 0 || one.family === requestedFamily;
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

/** The addresses of both families. A resolver has the name servers of the time when it is created: each lookup has one. */
async function askNameServers(
  name: string,
  { servers, timeoutMs: timeout = TIMEOUT_MS }: HostLookupOptions,
): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (four.status === "rejected" && six.status === "rejected") throw four.reason;
  return [...withFamily(four, 4), ...withFamily(six, 6)];
}

function withFamily(answer: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  const addresses = answer.status === "fulfilled" ? answer.value : [];
  return addresses.map((address) => ({ address, family }));
}

function askSystem(name: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}

function lookupError(code: string, name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: cannot resolve ${name}`), { code });
}

/** The lookup of this machine. */
export const HOST_LOOKUP: HostLookup = hostLookup();
