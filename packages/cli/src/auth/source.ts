import type { TokenSource } from "@wharf/client";
import { unauthenticated } from "../errors.ts";
import type { Environment, Settings } from "../settings.ts";
import type { Messages } from "../terminal/terminal.ts";
import { freshToken, type Login, type StoredToken } from "./cache/login.ts";
import { Logins } from "./cache/logins.ts";
import { claimsOf } from "./claims.ts";
import type { RenewOptions } from "./renew.ts";

type Log = Pick<Messages, "warn" | "detail">;

const SILENT: Log = { warn() {}, detail() {} };

/**
 * The token of a command, by precedence: WHARF_TOKEN; the platform's token, exchanged for the identity
 * in WHARF_IDENTITY; the current login, renewed if necessary. Never starts a sign-in.
 */
export function tokenSource(
  settings: Settings,
  environment: Environment,
  log: Log = SILENT,
): TokenSource {
  const token = environment.WHARF_TOKEN?.trim();
  if (token) return { get: async () => ({ token }) };
  const logins = Logins.of(environment, settings.context, log.warn);
  const source = sourceOf(() => loginInUse(logins, settings, environment), logins, log);
  return {
    get: ({ audience = settings.api, force }) =>
      // --audience can differ from the API URL.
      source.get({ audience: audience === settings.api ? settings.audience : audience, force }),
  };
}

/** A token for another audience than the API, such as a registry. */
export async function tokenFor(
  audience: string,
  settings: Settings,
  environment: Environment,
  log: Log = SILENT,
): Promise<{ readonly token: string; readonly expires?: Date | undefined }> {
  const { token } = await tokenSource(settings, environment, log).get({ audience });
  // WHARF_TOKEN is used as it is for the API, and exchanged for other audiences.
  const isValid = audience === settings.api || [claimsOf(token).aud].flat().includes(audience);
  if (!environment.WHARF_TOKEN || isValid) return { token };
  const [{ issuerAt }, { exchangeToken }] = await Promise.all([
    import("./issuer.ts"),
    import("./renew.ts"),
  ]);
  return withDate(await exchangeToken(issuerAt(settings.issuer, log).wharf, token, audience));
}

/** The tokens of a login. */
export function sourceOf(login: () => Login, logins: Logins, log: Log): TokenSource {
  const returned = new Map<string, StoredToken>();
  return {
    async get({ audience = login().api, force = false }) {
      const last = freshToken({ tokens: Object.fromEntries(returned) }, audience, Date.now());
      if (last !== undefined && !force) return withDate(last);
      const current = login();
      const stored = freshToken(current, audience, Date.now());
      const next =
        stored !== undefined && stored.token !== last?.token
          ? stored
          : await renewLogin(current, { logins, audience, rejected: last?.token, ...log });
      returned.set(audience, next);
      return withDate(next);
    },
  };
}

/** Loads the code for renewal on demand: most commands have a valid token. */
async function renewLogin(
  login: Login,
  options: Omit<RenewOptions, "issuer"> & Log,
): Promise<StoredToken> {
  const [{ issuerAt }, { renew }] = await Promise.all([
    import("./issuer.ts"),
    import("./renew.ts"),
  ]);
  return renew(login, { ...options, issuer: issuerAt(login.issuer, options) });
}

function loginInUse(logins: Logins, { issuer, api }: Settings, environment: Environment): Login {
  const identity = environment.WHARF_IDENTITY;
  if (identity) {
    const from = { kind: "ambient" } as const;
    const empty: Login = {
      issuer,
      api,
      identity,
      renewal: { kind: "exchange", from },
      tokens: {},
    };
    return logins.find({ issuer, identity }) ?? empty;
  }
  const login = logins.current(issuer);
  if (login === undefined) throw unauthenticated(`you are not signed in to ${issuer}`);
  return login;
}

function withDate({ token, expires }: StoredToken) {
  return { token, expires: new Date(expires) };
}
