import { randomBytes, randomUUID } from "node:crypto";
import { accessSync, chmodSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { RegistryWiring } from "@wharf/server/app/admin.ts";
import { ConfigError, type Settings } from "@wharf/server/config/settings.ts";
import { failed } from "../errors.ts";

/** A registry that this CLI runs: its program, files and configuration. */
export interface RegistrySite {
  readonly program: string;
  readonly configFile: string;
  readonly certificates: string;
  readonly url: URL;
  readonly wiring: RegistryWiring;
  /** What this registry, and no other process on its port, sends in INSTANCE_HEADER. */
  readonly instance: string;
}

/** A header of every response of a registry that this CLI runs. */
export const INSTANCE_HEADER = "X-Wharf-Registry-Instance";

/** The name in Debian, and the upstream name. */
const PROGRAMS = ["docker-registry", "registry"];

/** Finds the program and writes its configuration to the data directory. */
export async function siteOf(
  settings: Settings,
  { host, url, storage }: { host: string; url: URL; storage: string | undefined },
): Promise<RegistrySite> {
  if (url.protocol !== "http:" || url.pathname !== "/")
    throw new ConfigError(`the URL of a registry to run must be http://HOST:PORT, not ${url}`);
  const program = findProgram();
  const { registryWiring } = await import("@wharf/server/app/admin.ts");
  const wiring = await registryWiring(settings, host);
  const folder = join(settings.data, "registry");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const certificates = join(folder, "certs.pem");
  const configFile = join(folder, "config.yml");
  const images = storage === undefined ? join(folder, "storage") : resolve(storage);
  const instance = randomUUID();
  const { stringify } = await import("yaml");
  const config = configOf(wiring, { url, certificates, images, instance });
  writeFileSync(configFile, stringify(config), { mode: 0o600 });
  // It contains a secret; the file of an older version may be readable by others.
  chmodSync(configFile, 0o600);
  return { program, configFile, certificates, url, wiring, instance };
}

/** The configuration of CNCF Distribution. */
function configOf(
  { host, secret, baseUrl, authUrl }: RegistryWiring,
  {
    url,
    certificates,
    images,
    instance,
  }: Pick<RegistrySite, "url" | "certificates" | "instance"> & { readonly images: string },
): object {
  return {
    version: "0.1",
    log: { level: "warn", accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: images }, delete: { enabled: true } },
    http: {
      addr: url.host,
      secret: randomBytes(32).toString("hex"),
      headers: { "X-Content-Type-Options": ["nosniff"], [INSTANCE_HEADER]: [instance] },
    },
    auth: {
      token: {
        realm: `${authUrl}/token`,
        service: host,
        issuer: authUrl,
        rootcertbundle: certificates,
      },
    },
    notifications: {
      endpoints: [
        {
          name: "wharf",
          url: `${baseUrl}/registry/notifications`,
          headers: { Authorization: [`Bearer ${secret}`] },
          timeout: "10s",
          threshold: 5,
          backoff: "2s",
        },
      ],
    },
  };
}

function findProgram(): string {
  for (const name of PROGRAMS) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(folder || ".", name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {}
    }
  }
  throw failed(
    "docker-registry is not installed",
    "on Debian and Ubuntu: apt install docker-registry; elsewhere, install CNCF Distribution",
  );
}
