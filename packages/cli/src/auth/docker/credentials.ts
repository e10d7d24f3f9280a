import type { Environment, Settings } from "../../settings.ts";
import { trust } from "../../trust.ts";
import { Logins } from "../cache/logins.ts";
import { tokenFor } from "../source.ts";

/** The message of Docker's own helpers; Docker then continues without credentials. */
export const NOT_FOUND = "credentials not found in native keychain";

/** The username by which the registry knows that the password is a token. */
export const USERNAME = "_token";

/** The settings of a server, and the variables that apply to it. */
export interface Server {
  readonly settings: Settings;
  readonly environment: Environment;
}

/** Handles standard input and returns what to print. Servers are in order of precedence. */
export type Verb = (input: string, servers: readonly Server[]) => Promise<string>;

/** The verbs of Docker's credential helper protocol. */
export const VERBS: Readonly<Record<string, Verb>> = {
  async get(input, servers) {
    const address = input.trim();
    if (address === "") throw new Error("no credentials server URL");
    const server = servers.filter(isSignedIn).find((each) => registryAt(each, address));
    if (server === undefined) throw new Error(NOT_FOUND);
    const { settings, environment } = server;
    const registry = registryAt(server, address) as string;
    await trust(settings.ca);
    const { token } = await tokenFor(registry, settings, environment);
    return JSON.stringify({ ServerURL: address, Username: USERNAME, Secret: token });
  },

  /** Accepts only tokens from `get`: a password would seem to be stored, but never be used. */
  async store(input) {
    let username: unknown;
    try {
      username = (JSON.parse(input) as { Username?: unknown } | null)?.Username;
    } catch {
      throw new Error("the credentials to store are not JSON");
    }
    if (username !== USERNAME) {
      throw new Error("wharf stores no passwords: sign in with `wharf auth login`");
    }
    return "";
  },

  /** Deletes the token of the registry; the login stays. */
  async erase(input, servers) {
    for (const server of servers) {
      const { settings, environment } = server;
      const registry = registryAt(server, input);
      const logins = Logins.of(environment, settings.context);
      const login = logins.current(settings.issuer);
      if (registry === undefined || login === undefined) continue;
      await logins.locked(login, async () => {
        const current = logins.find(login);
        if (current === undefined) return;
        const { [registry]: _erased, ...tokens } = current.tokens;
        logins.save({ ...current, tokens });
      });
    }
    return "";
  },

  async list(_input, servers) {
    const hosts = servers.filter(isSignedIn).flatMap(({ settings }) => registriesOf(settings));
    return JSON.stringify(Object.fromEntries(hosts.map((host) => [host, USERNAME])));
  },
};

/** The registry of a server that an address belongs to. */
export function registryAt({ settings }: Server, address: string): string | undefined {
  return registryOf(address, registriesOf(settings));
}

/** Whether there is a token or a login. Without one, Docker continues anonymously: for public images. */
function isSignedIn({ settings: { issuer, context }, environment }: Server): boolean {
  if (environment.WHARF_TOKEN?.trim() || environment.WHARF_IDENTITY) return true;
  return Logins.of(environment, context).current(issuer) !== undefined;
}

/** The registry hosts of platform.registry, comma-separated (default: the host of the API). */
export function registriesOf({ registry }: Pick<Settings, "registry">): string[] {
  return registry
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean);
}

/**
 * The registry of an address as Docker writes it, with or without scheme and path. Subdomains belong
 * to their registry.
 */
export function registryOf(address: string, registries: readonly string[]): string | undefined {
  const host = hostOf(address);
  if (host === undefined) return undefined;
  return registries.find((registry) => host === registry || host.endsWith(`.${registry}`));
}

function hostOf(address: string): string | undefined {
  const text = address.trim();
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  // Without a default port, which is not part of the registry's name.
  return url.host;
}
