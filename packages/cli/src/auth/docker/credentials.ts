import type { Environment, Settings } from "../../settings.ts";
import { Logins } from "../cache/logins.ts";
import { tokenFor } from "../source.ts";
import { registriesOf, registryOf } from "./registries.ts";

/** What docker's own helpers say; docker then goes on without credentials. */
export const NOT_FOUND = "credentials not found in native keychain";

/** Says that the password is a token. */
const USERNAME = "_token";

/** What a helper is asked to do, with what it reads from standard input. */
export type Verb = (input: string, settings: Settings, environment: Environment) => Promise<string>;

/** The verbs of the protocol. Each answers what is printed. */
export const VERBS: Readonly<Record<string, Verb>> = {
  async get(input, settings, environment) {
    const address = input.trim();
    if (address === "") throw new Error("no credentials server URL");
    const registry = registryOf(address, registriesOf(settings));
    if (registry === undefined) throw new Error(NOT_FOUND);
    const { token } = await tokenFor(registry, settings, environment);
    return JSON.stringify({ ServerURL: address, Username: USERNAME, Secret: token });
  },

  /** Tokens come from logins; a password that we would not use must not seem to be kept. */
  async store(input) {
    let username: unknown;
    try {
      username = (JSON.parse(input) as { Username?: unknown } | null)?.Username;
    } catch {
      throw new Error("what is to be stored is not JSON");
    }
    if (username !== USERNAME) {
      throw new Error("wharf keeps no passwords: log in with `wharf auth login`");
    }
    return "";
  },

  /** The registry's token goes; the login stays. */
  async erase(input, settings, environment) {
    const registry = registryOf(input, registriesOf(settings));
    const logins = Logins.of(environment);
    const login = logins.current(settings.issuer);
    if (registry === undefined || login === undefined) return "";
    await logins.locked(login, async () => {
      const present = logins.find(login);
      if (present === undefined) return;
      const { [registry]: _erased, ...tokens } = present.tokens;
      logins.save({ ...present, tokens });
    });
    return "";
  },

  async list(_input, settings, environment) {
    const isLoggedIn = environment.WHARF_TOKEN || environment.WHARF_IDENTITY;
    if (!isLoggedIn && Logins.of(environment).current(settings.issuer) === undefined) return "{}";
    const entries = registriesOf(settings).map((host) => [host, USERNAME]);
    return JSON.stringify(Object.fromEntries(entries));
  },
};
