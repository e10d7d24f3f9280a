import { readFileSync } from "node:fs";
import { hostsOf } from "../config/addresses.ts";
import { ConfigError, type Settings } from "../config/settings.ts";
import { portError } from "../lib/startup-errors.ts";
import { DEFAULT_LIMITS } from "../wire/limits.ts";
import { openPort, type Port, type PortOptions } from "../wire/port/port.ts";

type Served = Omit<PortOptions, "listen" | "tls" | "trustedProxies" | "hosts" | "cors" | "limits">;

/** Memory of one long gRPC response: the share of a worker fits one of them. */
const MIN_UNREAD_BYTES = 64 * 1024 * 1024;

/** Opens the port at the address, and with the limits, of the settings. */
export async function openConfiguredPort(settings: Settings, served: Served): Promise<Port> {
  const { listen, tlsCert, tlsKey, trustedProxies, corsOrigins } = settings;
  const limits = {
    connections: settings.maxConnections,
    connectionsPerNetwork: settings.maxConnectionsPerAddress,
    bodyBytes: settings.maxBodyMemory * 1024 * 1024,
    ...(served.source && { unreadBytes: unreadShare(settings.workers) }),
  };
  const tls = tlsCert === "" ? {} : { tls: readCertificate({ tlsCert, tlsKey }) };
  const hosts = hostsOf(settings);
  const cors = { origins: corsOrigins };
  try {
    return await openPort({ listen, trustedProxies, hosts, cors, limits, ...tls, ...served });
  } catch (error) {
    throw portError(`${listen.host}:${listen.port}`, error);
  }
}

export function readCertificate({ tlsCert, tlsKey }: Pick<Settings, "tlsCert" | "tlsKey">) {
  return { cert: readPem("--tls-cert", tlsCert), key: readPem("--tls-key", tlsKey) };
}

/** The share of one of several workers. */
function unreadShare(workers: number): number {
  return Math.max(MIN_UNREAD_BYTES, DEFAULT_LIMITS.unreadBytes / workers);
}

function readPem(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${flag} cannot be read: ${(error as Error).message}`);
  }
}
